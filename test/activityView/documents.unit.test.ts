import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  type DocumentAddress,
  documentOfEvent,
  documentUri,
  eventLink,
  readDocumentUri,
  readEventLink,
} from '../../src/activity/documentAddress.ts';
import { eventText, issueText } from '../../src/activity/documentText.ts';
import { findEvent } from '../../src/activity/findEvent.ts';
import { createPendingLink } from '../../src/activity/pendingLink.ts';
import { createClient } from '../../src/api/client.ts';
import { readIssue, readNote } from '../../src/contract/issues.ts';
import { readProjectBasic } from '../../src/contract/projects.ts';
import { answering, fakeClock, fakeMemento, json } from '../support/extension/fakes.ts';
import { event, noteEvent, plainEvent, pushEvent, wireEvent } from './events.ts';

const locale = 'en-GB';
const author = { id: 7, username: 'ana', name: 'Ana Novak' };
const project = readProjectBasic({ id: 42, path_with_namespace: 'signals/relay' });
const time = new Date(2026, 10, 20, 9, 30).toISOString();

describe('addresses of documents', () => {
  it('are the issue for events about one, and the event itself for all others', () => {
    const issue = { account: 'local/7', kind: 'issue', project: 42, iid: 12 };
    assert.deepEqual(documentOfEvent('local/7', event()), issue);
    assert.deepEqual(documentOfEvent('local/7', noteEvent({})), issue);
    const itself = { account: 'local/7', kind: 'event', event: 1 };
    for (const other of [
      pushEvent('pushed', {}),
      plainEvent('joined'),
      noteEvent({ noteable_type: 'MergeRequest' }),
      noteEvent({ noteable_iid: null }),
      event({ project_id: null }),
    ])
      assert.deepEqual(documentOfEvent('local/7', other), itself);
  });

  it('are read as they were written, whatever account they are of', () => {
    const addresses: readonly DocumentAddress[] = [
      { account: 'https://gitlab.example.com/a?b&c=d/7', kind: 'issue', project: 42, iid: 12 },
      { account: 'local/7', kind: 'event', event: 1 },
    ];
    for (const address of addresses) assert.deepEqual(readDocumentUri(documentUri(address, event(), locale)), address);
    for (const query of ['', 'account=a', 'account=a&kind=event&event=x', 'account=a&kind=issue&project=1&iid=-1'])
      assert.equal(readDocumentUri({ query }), undefined, query);
  });

  it('end like one Markdown file, whatever the title', () => {
    const named = (title: string) =>
      documentUri({ account: 'a', kind: 'issue', project: 1, iid: 12 }, event({ target_title: title }), locale).path;
    assert.equal(named('Relay flickers'), '/#12 Relay flickers.md');
    assert.match(named('../../etc/passwd\n.exe'), /^\/[^/\\\n]+\.md$/);
    assert.ok(named('x'.repeat(500)).length < 100);
  });
});

describe('links to events', () => {
  it('are read as they were written', () => {
    const link = { event: 12, instance: 'https://gitlab.example.com/git lab' };
    const url = new URL(eventLink(link, 'vscode', 'signalbox.signalbox'));
    assert.equal(url.href.split('?')[0], 'vscode://signalbox.signalbox/event/12');
    assert.deepEqual(readEventLink({ path: url.pathname, query: url.search.slice(1) }), link);
  });

  it('are nothing else', () => {
    for (const [path, query] of [
      ['/event/12', ''],
      ['/event/x', 'instance=local'],
      ['/event/12/more', 'instance=local'],
      ['/event/1234567890123456', 'instance=local'],
      ['/issue/12', 'instance=local'],
    ] as const)
      assert.equal(readEventLink({ path, query }), undefined, path);
  });

  it('wait for a window that reloads, but not for ever', async () => {
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

  it('are looked for in the lists, no further than the event can be', async () => {
    const pages: Readonly<Record<string, readonly number[]>> = { '1': [90, 80], '2': [70, 60], '3': [50, 40] };
    const network = answering(({ url }) => {
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
    assert.equal((await findEvent(client, 65))?.id, 65, 'one’s own, in a project one is no member of');
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
  const notes = [
    { id: 1, body: 'Seen at signal 7.', author, created_at: time, system: null },
    { id: 2, body: 'closed', author: null, created_at: 'never', system: true },
  ]
    .map(readNote)
    .filter((note) => note !== undefined);

  it('is its title, its facts, what it says, and the comments', () => {
    assert.ok(issue !== undefined);
    const text = issueText(issue, notes, project, locale).replaceAll(' at 09:30', ', 09:30');
    assert.equal(
      text,
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

*closed* (somebody who is gone)
`,
    );
  });

  it('leaves out what is not known, and takes null for no', () => {
    const bare = readIssue({ id: 1, iid: 2, title: 'x', confidential: null });
    assert.ok(bare !== undefined);
    assert.equal(bare.confidential, false);
    assert.equal(issueText(bare, [], undefined, locale), '# #2 x\n\nopen · opened by somebody who is gone\n');
    assert.equal(readIssue({ id: 1, iid: 2 }), undefined);
    assert.equal(readNote({ body: 'x' }), undefined);
  });
});

describe('text of an event', () => {
  const of = (shown: ReturnType<typeof event>) => eventText(shown, project, 'https://gitlab.example.com/x', locale);

  it('shows a push', () => {
    const text = of(pushEvent('pushed to', { commit_count: 3 }));
    assert.match(text, /^# Pushed 3 commits to main: Tighten the relay\n\nsignals\/relay · Ana Novak \(@ana\) · /);
    assert.match(text, /\n- branch: main\n- commits: 3\n- from: 1{40}\n- to: 2{40}\n\nTighten the relay\n/);
    assert.match(text, /<https:\/\/gitlab\.example\.com\/x>\n$/);
  });

  it('shows a bulk push as the number of its refs', () => {
    const text = of(pushEvent('pushed', { ref: null, ref_count: 9, commit_count: 0, commit_to: null }));
    assert.match(text, /^# Pushed to 9 branches\n/);
    assert.match(text, /- refs: 9\n/);
  });

  it('shows a comment with its text', () => {
    assert.match(of(noteEvent({ noteable_type: 'MergeRequest', body: 'Looks\n\nright.' })), /\n\nLooks\n\nright\.\n/);
  });

  it('keeps a title in its heading', () => {
    assert.match(of(event({ target_title: 'a\n# b' })), /^# Opened #12 a # b\n/);
  });
});
