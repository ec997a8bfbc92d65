import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { loadMergeRequest, loadPush } from '../../../src/activity/documentLoad.ts';
import { eventDocument, mergeRequestDocument } from '../../../src/activity/documentText.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import { createClient } from '../../../src/api/client.ts';
import type { PushData } from '../../../src/contract/activity.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import { networkWithRule, fakeClock, json } from '../../support/extension/fakes.ts';
import { pushEvent } from './events.ts';

const ORIGIN = 'https://gitlab.example.com';
const author = { id: 7, username: 'ana', name: 'Ana Novak' };
const [OLD, NEW] = ['1'.repeat(40), '2'.repeat(40)];

const wireCommit = (id: string, title: string, body = '', parents: readonly string[] = [OLD]) => ({
  ...{ id, short_id: id.slice(0, 8), title, message: `${title}\n${body}`, author_name: 'Ana', parent_ids: parents },
});
const wireDiff = (path: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  ...{ old_path: path, new_path: path, diff: '@@ -1 +1 @@\n-red\n+green\n', new_file: false, renamed_file: false, ...changes },
});
const wireRequest = {
  ...{ id: 900, iid: 12, title: 'Green\nlamps', description: '# Why\n\nThey are seen.', state: 'merged', author, draft: false },
  ...{ source_branch: 'topic', target_branch: 'main', source_project_id: 42, target_project_id: 42, labels: ['lamp', 'rail'] },
  ...{ assignees: [author], reviewers: [author], milestone: { title: 'Spring' }, merge_user: null, merged_by: author },
  ...{ merged_at: '2026-11-20T10:15:00Z', created_at: null, web_url: `${ORIGIN}/signals/relay/-/merge_requests/12` },
};
const wireDiscussion = {
  id: 'c',
  notes: [
    { id: 5, body: 'Darker?', author, position: { new_path: 'lamp.txt', new_line: 3, old_line: null } },
    { id: 6, body: 'No.', author },
  ],
};
const not = (status: number): WireResponse => json(status, { message: `${status}` });

/** Response body or complete response, by path. */
type Responses = Readonly<Record<string, object>>;

function isResponse(response: object): response is WireResponse {
  return 'status' in response && 'headers' in response;
}

/** Client of an instance that responds to these paths below the project, and with 404 to all others. */
function platform(responses: Responses) {
  const { now, sleep } = fakeClock();
  const network = networkWithRule(({ url }) => {
    const { pathname, search } = new URL(url);
    const path = `${pathname.replace('/api/v4/projects/42', '')}${search}`;
    const response = responses[path] ?? responses[path.replace(/\?.*$/, '')];
    if (response === undefined) return not(404);
    return isResponse(response) ? response : json(200, response);
  });
  const credentials = { token: async () => 'access', renewed: async () => undefined };
  return { client: createClient({ baseUrl: ORIGIN, send: network.send, credentials, now, sleep }), requests: network.requests };
}

const REQUEST = '/merge_requests/12';
const whole = {
  [REQUEST]: wireRequest,
  [`${REQUEST}/discussions`]: [wireDiscussion],
  [`${REQUEST}/commits`]: [wireCommit(NEW, 'Tighten', '\nIt was loose.')],
  [`${REQUEST}/diffs`]: [wireDiff('lamp.txt'), wireDiff('new.txt', { old_path: 'old.txt', renamed_file: true, diff: '' })],
};

async function requestText(responses: Responses): Promise<string> {
  return mergeRequestDocument(await loadMergeRequest(platform(responses).client, 42, 12), undefined, 'en-GB').text;
}

describe('the document of a merge request', () => {
  it('the document of a merge request has metadata, comment threads, commits and changed files', async () => {
    const text = await requestText(whole);
    assert.equal(
      text.replace(/20 November 2026(?:,| at) \d\d:15/, 'TIME'),
      `# !12 Green lamps

merged · opened by Ana Novak (@ana)

Branches: topic into main${'  '}
Labels: lamp, rail${'  '}
Assignees: Ana Novak (@ana)${'  '}
Reviewers: Ana Novak (@ana)${'  '}
Milestone: Spring${'  '}
Merged: TIME, Ana Novak (@ana)

<https://gitlab.example.com/signals/relay/-/merge_requests/12>

## Why

They are seen.

## Comments

---

### Ana Novak (@ana)

On lamp.txt, line 3

Darker?

#### Ana Novak (@ana)

No.

## Commits (1)

### 22222222 Tighten

Ana

It was loose.

## Changed files (2)

### lamp.txt

\`\`\`diff
@@ -1 +1 @@
-red
+green
\`\`\`

### new.txt (renamed from old.txt)

No lines to show: the file is empty or binary, or only its name or mode changed.
`,
    );
  });

  it('the document of a merge request shows that it is from a fork, a draft or closed', async () => {
    const text = await requestText({ [REQUEST]: { ...wireRequest, state: 'closed', draft: true, source_project_id: 43 } });
    assert.match(text, /\n\nclosed · draft · opened by/);
    assert.match(text, /\nBranches: topic \(fork\) into main/);
    assert.doesNotMatch(text, /Merged:/);
  });

  it('the document of a merge request uses the /changes endpoint of older releases', async () => {
    const text = await requestText({
      ...whole,
      [`${REQUEST}/diffs`]: not(404),
      [`${REQUEST}/changes`]: { changes: [wireDiff('a')] },
    });
    assert.match(text, /## Changed files \(1\)\n\n### a\n/);
  });

  it('the document of a merge request names the parts that the account cannot see', async () => {
    const text = await requestText({ [REQUEST]: wireRequest, [`${REQUEST}/discussions`]: [], [`${REQUEST}/commits`]: not(403) });
    assert.match(text, /## Commits\n\nCommits could not be loaded\. gitlab\.example\.com does not allow this \(403: 403\)\n/);
    assert.match(text, /## Changed files\n\nChanged files could not be loaded\. gitlab\.example\.com: not found/);
    assert.doesNotMatch(text, /## Comments/);
  });

  it('the document of a merge request is rejected when the merge request is hidden', async () => {
    await assert.rejects(loadMergeRequest(platform({}).client, 42, 12), (error) => error instanceof ApiFailure);
  });

  it('the document of a merge request follows the pages of its lists and shows when they are truncated', async () => {
    const next = { link: `<${ORIGIN}/api/v4/projects/42${REQUEST}/commits?page=2>; rel="next"` };
    const text = await requestText({
      ...whole,
      [`${REQUEST}/commits?per_page=100`]: json(200, [wireCommit('a'.repeat(40), 'One')], next),
      [`${REQUEST}/commits?page=2`]: json(200, [wireCommit('b'.repeat(40), 'Two')], next),
    });
    assert.match(text, /## First 5 commits\n\n### aaaaaaaa One\n/);
  });

  it('the document of a merge request omits diffs that are too large and continues with the next file', async () => {
    const diffs = [
      wireDiff('big', { diff: '+a\n'.repeat(9_000) }),
      wireDiff('huge', { diff: '', too_large: true }),
      wireDiff('small'),
    ];
    const text = await requestText({ ...whole, [`${REQUEST}/diffs`]: diffs });
    assert.ok(text.includes('### big\n\nToo many changes to show here. Open them in the browser.\n'));
    assert.ok(text.includes('### huge\n\nThis diff is too large to show.\n'));
    assert.ok(text.includes('### small\n\n```diff\n@@'));
  });
});

/** Document of a push on an instance with these responses, and the requests for it. */
async function pushText(push: Partial<PushData>, responses: Responses) {
  const { client, requests } = platform(responses);
  const event = pushEvent('pushed', push);
  assert.ok(event.push_data !== null);
  const { text } = eventDocument(event, await loadPush(client, 42, event.push_data), undefined, undefined, 'en-GB');
  const requested = requests.map(({ url }) => url.slice(`${ORIGIN}/api/v4/projects/42`.length));
  return { text, requested };
}

const changes = { commits: [wireCommit(OLD, 'One'), wireCommit(NEW, 'Two')], diffs: [wireDiff('lamp.txt', { new_file: true })] };

describe('the document of a push', () => {
  it('the document of a push has the commits between both SHAs and their changes', async () => {
    const { text, requested } = await pushText({ commit_count: 2 }, { '/repository/compare': changes });
    assert.deepEqual(requested, [`/repository/compare?from=${OLD}&to=${NEW}`]);
    assert.match(text, /\n- To: 2{40}\n\n## Commits \(2\)\n\n### 11111111 One\n\nAna\n\n### 22222222 Two\n/);
    assert.match(text, /\n## Changed files \(1\)\n\n### lamp\.txt \(new\)\n\n```diff\n/);
  });

  it('the document of a push shows that a comparison is truncated', async () => {
    const { text } = await pushText({}, { '/repository/compare': { ...changes, compare_timeout: true } });
    assert.match(text, /## First 2 commits\n[\s\S]*## First 1 changed files\n/);
  });

  it('the document of a push has the commits of a new branch and their changes since the parent commit', async () => {
    const log = [wireCommit(NEW, 'Two', '', ['a'.repeat(40)]), wireCommit('a'.repeat(40), 'One', '', [OLD])];
    const push = { action: 'created', ref: 'topic/a', commit_from: '0'.repeat(40), commit_count: 2 };
    const { text, requested } = await pushText(push, { '/repository/commits': log, '/repository/compare': changes });
    assert.deepEqual(requested, [`/repository/commits?ref_name=${NEW}&per_page=2`, `/repository/compare?from=${OLD}&to=${NEW}`]);
    assert.match(text, /## Commits \(2\)\n\n### aaaaaaaa One\n\nAna\n\n### 22222222 Two\n/);
    const first = await pushText({ ...push, commit_count: 1 }, { '/repository/commits': [wireCommit(NEW, 'Root', '', [])] });
    assert.equal(first.requested.length, 1, 'the first commit has no parent');
    assert.match(first.text, /## Commits \(1\)\n\n### 22222222 Root\n/);
  });

  it('the document of a push has the first commit of a new branch without new commits', async () => {
    const push = { action: 'created', commit_from: null, commit_count: 0 };
    const { text, requested } = await pushText(push, { [`/repository/commits/${NEW}`]: wireCommit(NEW, 'Two') });
    assert.equal(requested.length, 1);
    assert.match(text, /### 22222222 Two/);
  });

  it('the document of a push has the message and the commit of a tag', async () => {
    const push = { action: 'created', ref_type: 'tag', ref: 'v1/a', commit_from: null };
    const tag = { name: 'v1/a', message: 'The first', commit: wireCommit(NEW, 'Two') };
    const { text } = await pushText(push, { '/repository/tags/v1%2Fa': tag });
    assert.match(text, /\n\nThe first\n\n## Commits \(1\)\n\n### 22222222 Two\n/);
    const missing = await pushText(push, {});
    assert.match(missing.text, /\n\nThe tag no longer exists, or this account doesn't have access to it\.\n$/);
  });

  it('the document of a push shows that a ref was removed, with its last commit if it still exists', async () => {
    const push = { action: 'removed', commit_to: null, commit_title: null };
    const there = await pushText(push, { [`/repository/commits/${OLD}`]: wireCommit(OLD, 'One') });
    assert.match(
      there.text,
      /\n\nThis push deleted the branch\. Its commits may no longer exist\.\n\n## Commits \(1\)\n\n### 11111111 One\n/,
    );
    const missing = await pushText({ ...push, ref_type: 'tag' }, {});
    assert.match(missing.text, /\n\nThis push deleted the tag\. The commit it pointed to may no longer exist\.\n$/);
  });

  it('the document of a push shows that commits are missing or hidden, with the text of the event', async () => {
    for (const status of [403, 404]) {
      const { text } = await pushText({}, { '/repository/compare': not(status) });
      assert.match(
        text,
        /\n\nTighten the relay\n\nThese commits no longer exist, or this account doesn't have access to them\.\n$/,
      );
    }
    await assert.rejects(pushText({}, { '/repository/compare': not(400) }), (error) => error instanceof ApiFailure);
  });

  it('the document of a push sends no request for a bulk push', async () => {
    const { text, requested } = await pushText({ ref: null, ref_count: 9 }, {});
    assert.deepEqual(requested, []);
    assert.match(text, /\n- Refs: 9\n\nCommits are not listed because this push changed many refs at once/);
  });
});
