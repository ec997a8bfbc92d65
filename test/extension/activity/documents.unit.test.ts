import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  type DocumentAddress,
  documentOfEvent,
  documentUri,
  eventLink,
  readDocumentUri,
  readEventLink,
} from '../../../src/activity/documentAddress.ts';
import { belowHeading, documentOf, fenced } from '../../../src/activity/documentParts.ts';
import { eventDocument, issueDocument } from '../../../src/activity/documentText.ts';
import { findEvent } from '../../../src/activity/findEvent.ts';
import { createPendingLink } from '../../../src/activity/pendingLink.ts';
import { createClient } from '../../../src/api/client.ts';
import { readDiscussion } from '../../../src/contract/discussions.ts';
import { readIssue, readNote } from '../../../src/contract/issues.ts';
import { readProjectBasic } from '../../../src/contract/projects.ts';
import { networkWithRule, fakeClock, fakeMemento, json } from '../../support/extension/fakes.ts';
import { event, noteEvent, plainEvent, pushEvent, wireEvent } from './events.ts';

const locale = 'en-GB';
const author = { id: 7, username: 'ana', name: 'Ana Novak' };
const project = readProjectBasic({ id: 42, path_with_namespace: 'signals/relay' });
const time = new Date(2026, 10, 20, 9, 30).toISOString();

describe('addresses of documents', () => {
  it('addresses of documents name the issue or merge request of an event, or else the event itself', () => {
    const issue = { account: 'local/7', kind: 'issue', project: 42, iid: 12 };
    const mergeRequest = { ...issue, kind: 'mergeRequest' };
    assert.deepEqual(documentOfEvent('local/7', event({ target_type: 'MergeRequest' })), mergeRequest);
    assert.deepEqual(documentOfEvent('local/7', noteEvent({ noteable_type: 'MergeRequest' })), mergeRequest);
    assert.deepEqual(documentOfEvent('local/7', event()), issue);
    assert.deepEqual(documentOfEvent('local/7', noteEvent({})), issue);
    const sha = '3'.repeat(40);
    const commit = { account: 'local/7', kind: 'commit', project: 42, sha };
    const onCommit = { noteable_type: 'Commit', noteable_id: null, noteable_iid: null };
    assert.deepEqual(documentOfEvent('local/7', noteEvent({ ...onCommit, commit_id: sha })), commit);
    assert.deepEqual(documentOfEvent('local/7', noteEvent({ ...onCommit, position: { head_sha: sha } })), commit);
    const itself = { account: 'local/7', kind: 'event', event: 1 };
    for (const other of [
      pushEvent('pushed', {}),
      plainEvent('joined'),
      noteEvent(onCommit),
      noteEvent({ ...onCommit, commit_id: '../../users' }),
      noteEvent({ noteable_type: 'Snippet' }),
      noteEvent({ noteable_iid: null }),
      event({ project_id: null }),
    ])
      assert.deepEqual(documentOfEvent('local/7', other), itself);
  });

  it('addresses of documents are parsed as they were built, for any account', () => {
    const addresses: readonly DocumentAddress[] = [
      { account: 'https://gitlab.example.com/a?b&c=d/7', kind: 'issue', project: 42, iid: 12 },
      { account: 'local/7', kind: 'mergeRequest', project: 42, iid: 12 },
      { account: 'local/7', kind: 'commit', project: 42, sha: '3'.repeat(40) },
      { account: 'local/7', kind: 'event', event: 1 },
    ];
    for (const address of addresses) assert.deepEqual(readDocumentUri(documentUri(address, event(), locale)), address);
    for (const query of [
      '',
      'account=a',
      'account=a&kind=event&event=x',
      'account=a&kind=issue&project=1&iid=-1',
      'account=a&kind=epic&project=1&iid=1',
      'account=a&kind=commit&project=1&sha=../../users',
    ])
      assert.equal(readDocumentUri({ query }), undefined, query);
  });

  it('addresses of documents end with one Markdown file name for any title', () => {
    const named = (title: string) =>
      documentUri({ account: 'a', kind: 'issue', project: 1, iid: 12 }, event({ target_title: title }), locale).path;
    assert.equal(named('Relay flickers'), '/#12 Relay flickers.md');
    const mergeRequest = { account: 'a', kind: 'mergeRequest', project: 1, iid: 12 } as const;
    assert.equal(documentUri(mergeRequest, event({ target_title: 'Relay' }), locale).path, '/!12 Relay.md');
    const commit = { account: 'a', kind: 'commit', project: 1, sha: `12345678${'3'.repeat(32)}` } as const;
    assert.equal(documentUri(commit, event({ target_title: 'Dim lamps' }), locale).path, '/12345678 Dim lamps.md');
    assert.match(named('../../etc/passwd\n.exe'), /^\/[^/\\\n]+\.md$/);
    assert.ok(named('x'.repeat(500)).length < 100);
  });
});

describe('links to events', () => {
  it('links to events are parsed as they were built', () => {
    const link = { event: 12, instance: 'https://gitlab.example.com/git lab' };
    const url = new URL(eventLink(link, 'vscode', 'signalbox.signalbox'));
    assert.equal(url.href.split('?')[0], 'vscode://signalbox.signalbox/event/12');
    assert.deepEqual(readEventLink({ path: url.pathname, query: url.search.slice(1) }), link);
  });

  it('links to events reject other URIs', () => {
    for (const [path, query] of [
      ['/event/12', ''],
      ['/event/x', 'instance=local'],
      ['/event/12/more', 'instance=local'],
      ['/event/1234567890123456', 'instance=local'],
      ['/issue/12', 'instance=local'],
    ] as const)
      assert.equal(readEventLink({ path, query }), undefined, path);
  });

  it('links to events survive a reload of the window for a limited time', async () => {
    const memory = fakeMemento();
    const clock = fakeClock();
    const link = { event: 12, instance: 'local' };
    await createPendingLink(memory, clock.now).set(link);
    clock.advance(4 * 60_000);
    const later = createPendingLink(memory, clock.now);
    assert.deepEqual(later.get(), link);
    clock.advance(2 * 60_000);
    assert.equal(later.get(), undefined);
    await later.set(link);
    await later.set(undefined);
    assert.equal(memory.values.size, 0);
  });

  it('links to events are searched in the lists only as far as the event can be', async () => {
    const pages: Readonly<Record<string, readonly number[]>> = { '1': [90, 80], '2': [70, 60], '3': [50, 40] };
    const network = networkWithRule(({ url }) => {
      const { searchParams } = new URL(url);
      if (searchParams.get('scope') === null) return json(200, [wireEvent({ id: 65 })]);
      const page = Number(searchParams.get('page') ?? '1');
      const next = `<https://gitlab.example.com/api/v4/events?scope=all&page=${page + 1}>; rel="next"`;
      return json(
        200,
        (pages[page] ?? []).map((id) => wireEvent({ id })),
        { link: next },
      );
    });
    const { now, sleep } = fakeClock();
    const credentials = { token: async () => 'access', renewed: async () => undefined };
    const client = createClient({ baseUrl: 'https://gitlab.example.com', send: network.send, credentials, now, sleep });
    assert.equal((await findEvent(client, 70))?.id, 70);
    assert.equal(network.requests.length, 2);
    assert.equal((await findEvent(client, 65))?.id, 65, 'own activity in a project without membership');
    assert.equal(network.requests.length, 2 + 3);
    assert.equal(await findEvent(client, 66), undefined);
  });
});

describe('text of an issue', () => {
  const issue = readIssue({
    id: 900,
    iid: 12,
    title: 'Relay\nflickers',
    description: 'At **night**.',
    state: 'opened',
    author,
    assignees: [author, null],
    labels: ['lamp', 7],
    due_date: '2026-12-01',
    confidential: null,
    created_at: time,
    web_url: 'https://gitlab.example.com/signals/relay/-/issues/12',
  });
  const alone = [
    { id: 'a', individual_note: true, notes: [{ id: 1, body: 'Seen at signal 7.', author, created_at: time, system: null }] },
    { id: 'b', individual_note: true, notes: [{ id: 2, body: 'closed', author: null, created_at: 'never', system: true }] },
  ];
  const discussionsOf = (wire: readonly unknown[], isWhole = true) => ({
    items: wire.map(readDiscussion).filter((discussion) => discussion !== undefined),
    isWhole,
  });

  it('the text of an issue has title, metadata, description and comments', () => {
    assert.ok(issue !== undefined);
    const { text, lines } = issueDocument({ issue, discussions: discussionsOf(alone) }, project, locale);
    assert.equal(text.split('\n')[lines.get(1) ?? 0], `## Ana Novak (@ana) · ${timeOf(text)}`);
    assert.equal(text.split('\n')[lines.get(2) ?? 0], '*closed* (deleted user)');
    assert.equal(
      text.replaceAll(' at 09:30', ', 09:30'),
      `# #12 Relay flickers

open · signals/relay · opened by Ana Novak (@ana) · 20 November 2026, 09:30

Labels: lamp${'  '}
Assignees: Ana Novak (@ana)${'  '}
Due: 1 December 2026

<https://gitlab.example.com/signals/relay/-/issues/12>

At **night**.

---

## Ana Novak (@ana) · 20 November 2026, 09:30

Seen at signal 7.

---

*closed* (deleted user)
`,
    );
  });

  it('the text of an issue omits unknown values and accepts null', () => {
    const bare = readIssue({ id: 1, iid: 2, title: 'x', confidential: null });
    assert.ok(bare !== undefined);
    assert.equal(bare.confidential, false);
    const shown = issueDocument({ issue: bare, discussions: discussionsOf([]) }, undefined, locale);
    assert.deepEqual(shown, { text: '# #2 x\n\nopen · opened by deleted user\n', lines: new Map() });
    assert.equal(readIssue({ id: 1, iid: 2 }), undefined);
    assert.equal(readNote({ body: 'x' }), undefined);
    for (const none of [{ id: 'a', notes: [] }, { notes: [{ id: 1 }] }, null]) assert.equal(readDiscussion(none), undefined);
  });

  it('the text of an issue nests replies below their comment and keeps its outline with any Markdown', () => {
    assert.ok(issue !== undefined);
    const wild = { ...issue, description: '# Steps\n\n1. Wait.\n\n```sh\n# not a heading\n' };
    const notes = [
      { id: 3, body: 'Why?\n===\n\n## Because', author, created_at: time },
      { id: 4, body: 'It rains.', author, created_at: time },
    ];
    const { text, lines } = issueDocument(
      { issue: wild, discussions: discussionsOf([{ id: 'c', notes }], false) },
      undefined,
      locale,
    );
    const by = `Ana Novak (@ana) · ${timeOf(text)}`;
    assert.deepEqual(
      text.split('\n').filter((line) => line.startsWith('#')),
      ['# #12 Relay flickers', '## Steps', '# not a heading', `## ${by}`, '#### Because', `### ${by}`],
    );
    assert.match(text, /\n# not a heading\n```\n\n---\n/);
    assert.match(text, /\nWhy\?\n\n===\n/);
    assert.equal(text.split('\n')[lines.get(4) ?? 0], `### ${by}`);
    assert.match(text, /\n---\n\nOpen in the browser to see more comments\.\n$/);
  });

  it('the text of an issue shows why the comments are missing', () => {
    assert.ok(issue !== undefined);
    const { text } = issueDocument({ issue, discussions: { failure: 'gitlab.example.com: no.' } }, undefined, locale);
    assert.match(text, /^# #12 /);
    assert.match(text, /\n\nComments could not be loaded\. gitlab\.example\.com: no\.\n$/);
  });
});

describe('text of an event', () => {
  const of = (shown: ReturnType<typeof event>) =>
    eventDocument(shown, undefined, project, 'https://gitlab.example.com/x', locale).text;

  it('the text of an event shows a push', () => {
    const text = of(pushEvent('pushed to', { commit_count: 3 }));
    assert.match(text, /^# Pushed 3 commits to main: Tighten the relay\n\nsignals\/relay · Ana Novak \(@ana\) · /);
    assert.match(text, /\n- Branch: main\n- Commits: 3\n- From: 1{40}\n- To: 2{40}\n\nTighten the relay\n/);
    assert.match(text, /<https:\/\/gitlab\.example\.com\/x>\n$/);
  });

  it('the text of an event shows a bulk push as the number of its refs', () => {
    const text = of(pushEvent('pushed', { ref: null, ref_count: 9, commit_count: 0, commit_to: null }));
    assert.match(text, /^# Pushed to 9 branches\n/);
    assert.match(text, /- Refs: 9\n/);
  });

  it('the text of an event shows a comment with its text', () => {
    assert.match(of(noteEvent({ noteable_type: 'Snippet', body: 'Looks\n\nright.' })), /\n\nLooks\n\nright\.\n/);
  });

  it('the text of an event keeps a title in its heading', () => {
    assert.match(of(event({ target_title: 'a\n# b' })), /^# Opened #12 a # b\n/);
  });
});

describe('parts of a document', () => {
  it('parts of a document have the line of each comment', () => {
    const { text, lines } = documentOf(['a\nb', '', { note: 7, text: 'c' }, { note: 8, text: 'd' }]);
    assert.equal(text, 'a\nb\n\nc\n\nd\n');
    assert.deepEqual(
      [...lines],
      [
        [7, 3],
        [8, 5],
      ],
    );
  });

  it('parts of a document stay below their heading and do not change code', () => {
    for (const [written, shown] of [
      ['# a\n## b\n###### c\n#d', '### a\n#### b\n###### c\n#d'],
      ['~~~\n# a\n```\n~~~\n# b', '~~~\n# a\n```\n~~~\n### b'],
      ['````\n```\n# a', '````\n```\n# a\n````'],
      ['``` a ``` b\n# c', '``` a ``` b\n### c'],
      ['a\n---\n\n---', 'a\n\n---\n\n---'],
      ['a\r\nb', 'a\nb'],
    ] as const)
      assert.equal(belowHeading(2, written), shown);
  });

  it('parts of a document are fenced with any characters in the text', () => {
    assert.equal(fenced('diff', '+a\n'), '```diff\n+a\n```');
    assert.equal(fenced('diff', '+````\n'), '`````diff\n+````\n`````');
  });
});

/** Formatted time of all events in this file. */
function timeOf(text: string): string {
  return /\d+ November 2026(?:,| at) 09:30/.exec(text)?.[0] ?? '';
}
