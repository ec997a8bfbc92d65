import assert from 'node:assert/strict';
import { documentOfEvent } from '../../../src/activity/documentAddress.ts';
import { loadCommit, loadIssue, loadMergeRequest, loadPush } from '../../../src/activity/documentLoad.ts';
import { commitDocument, eventDocument, issueDocument, mergeRequestDocument } from '../../../src/activity/documentText.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { type ActivityEvent, readActivityEvent } from '../../../src/contract/activity.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { REQUESTS, type Stage, startStage } from '../../server/mergeRequests/stage.ts';
import type { Actor } from '../../server/projects/cast.ts';
import { type TestServer } from '../../support/server.ts';

for (const dialect of ['documented', 'observed'] as const) {
  describe(`documents of the activity views, dialect ${dialect}`, () => {
    let server: TestServer;
    let stage: Stage;
    let head: string;

    before(async () => {
      stage = await startStage({ profile: { dialect } });
      ({ server } = stage);
      const { ada, dev, send } = stage;
      await stage.commit('topic', 'blue.txt', 'blue\n');
      head = await stage.commit('topic', 'blue.txt', 'dark blue\n', 'update');
      await stage.branch('gone', 'topic');
      const { status, text } = await send('DELETE', '/api/v4/projects/1/repository/branches/gone', ada);
      assert.equal(status, 204, text);
      const tag = { tag_name: 'v1', ref: 'topic', message: 'The first' };
      assert.equal((await send('POST', '/api/v4/projects/1/repository/tags', ada, tag)).status, 201);
      await stage.open(dev, { description: '# Why', labels: 'lamp', assignee_ids: [ada.user.id], reviewer_ids: [dev.user.id] });
      const thread = await send('POST', `${REQUESTS}/1/discussions`, ada, { body: 'Darker?' });
      const { id } = thread.json() as { readonly id: string };
      assert.equal((await send('POST', `${REQUESTS}/1/discussions/${id}/notes`, dev, { body: 'No.' })).status, 201);
      assert.equal((await send('POST', '/api/v4/projects/1/issues', ada, { title: 'Lamp 7' })).status, 201);
    });
    after(() => server.close());

    function clientOf({ token }: Pick<Actor, 'token'>): Client {
      const credentials = { token: async () => token, renewed: async () => undefined };
      return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
    }

    function headingsOf(text: string): readonly string[] {
      return text.split('\n').filter((line) => line.startsWith('#'));
    }

    async function pushes(): Promise<readonly ActivityEvent[]> {
      const { items } = await clientOf(stage.ada).list('/projects/1/events', readActivityEvent, { per_page: 100 });
      return items.filter(({ push_data }) => push_data !== null);
    }

    async function pushHeadings(isMeant: (event: ActivityEvent) => boolean): Promise<readonly string[]> {
      const event = (await pushes()).find(isMeant);
      assert.ok(event?.push_data !== undefined && event.push_data !== null);
      const loaded = await loadPush(clientOf(stage.ada), 1, event.push_data);
      assert.equal(loaded.isGone, false);
      return headingsOf(eventDocument(event, loaded, undefined, undefined, 'en').text);
    }

    it('activity documents show a merge request with threads, commits and changed files', async () => {
      const loaded = await loadMergeRequest(clientOf(stage.rita), 1, 1);
      const { text, lines } = mergeRequestDocument(loaded, undefined, 'en');
      assert.match(text, /\n\nopen · opened by dev Example \(@dev\) · /);
      assert.match(
        text,
        /\n\nBranches: topic into main {2}\nLabels: lamp {2}\nAssignees: ada Example \(@ada\) {2}\nReviewers: dev /,
      );
      const headings = headingsOf(text);
      assert.deepEqual(headings.slice(0, 3), ['# !1 Green lamps', '## Why', '## Comments']);
      const byAda = headings.indexOf(headings.find((line) => line.startsWith('### ada Example')) ?? '');
      assert.match(headings[byAda + 1] ?? '', /^#### dev Example/);
      const notes = (loaded.discussions.failure === undefined ? loaded.discussions.items : []).flatMap((one) => one.notes);
      const response = notes.find(({ body }) => body === 'No.');
      assert.equal(text.split('\n')[lines.get(response?.id ?? 0) ?? 0], headings[byAda + 1]);
      assert.deepEqual(headings.slice(byAda + 2), [
        '## Commits (3)',
        `### ${head.slice(0, 8)} About blue.txt`,
        ...headings.slice(byAda + 4, byAda + 6),
        '## Changed files (2)',
        '### blue.txt (new)',
        '### green.txt (new)',
      ]);
      assert.ok(text.includes('```diff\n@@ -0,0 +1 @@\n+dark blue\n```'), text);
    });

    it('activity documents show the commit of a comment with its threads and changed files', async () => {
      const path = `/api/v4/projects/1/repository/commits/${head}`;
      const onLine = { note: 'Too dark?', path: 'blue.txt', line: 1, line_type: 'new' };
      assert.equal((await stage.send('POST', `${path}/comments`, stage.dev, onLine)).status, 201);
      assert.equal((await stage.send('POST', `${path}/comments`, stage.dev, { note: 'Nice.' })).status, 201);
      const { items } = await clientOf(stage.ada).list('/projects/1/events', readActivityEvent, { per_page: 100 });
      const event = items.find(({ note }) => note?.body === 'Too dark?');
      assert.ok(event !== undefined);
      const address = documentOfEvent('local/1', event);
      assert.deepEqual(address, { account: 'local/1', kind: 'commit', project: 1, sha: head });
      const { text, lines } = commitDocument(await loadCommit(clientOf(stage.rita), 1, head), undefined, 'en');
      const headings = headingsOf(text);
      assert.deepEqual(
        headings.map((line) => line.replace(/ · .*$/, '')),
        [
          `# ${head.slice(0, 8)} About blue.txt`,
          '## Comments',
          '### dev Example (@dev)',
          '### dev Example (@dev)',
          '## Changed files (1)',
          '### blue.txt',
        ],
      );
      assert.equal(text.split('\n')[lines.get(event.note?.id ?? 0) ?? 0], headings[2]);
      assert.ok(text.includes('On blue.txt, line 1\n\nToo dark?\n'), text);
    });

    it('activity documents show an issue without comments', async () => {
      const { text } = issueDocument(await loadIssue(clientOf(stage.rita), 1, 1), undefined, 'en');
      assert.match(text, /^# #1 Lamp 7\n\nopen · /);
    });

    it('activity documents show pushes to branches, new and deleted branches, and tags', async () => {
      const commit = `### ${head.slice(0, 8)} About blue.txt`;
      const toTopic = await pushHeadings(({ push_data: push }) => push?.commit_to === head && push.action === 'pushed');
      assert.deepEqual(toTopic.slice(1), ['## Commits (1)', commit, '## Changed files (1)', '### blue.txt']);
      const created = await pushHeadings(({ push_data: push }) => push?.ref === 'topic' && push.action === 'created');
      assert.deepEqual(
        created.slice(1).map((line) => line.replace(/ [0-9a-f]{8} /, ' ')),
        ['## Commits (1)', '### Green', '## Changed files (1)', '### green.txt (new)'],
      );
      const removed = await pushHeadings(({ push_data: push }) => push?.action === 'removed');
      assert.deepEqual(removed, ['# Deleted branch gone', '## Commits (1)', commit]);
      const tag = await pushHeadings(({ push_data: push }) => push?.ref_type === 'tag');
      assert.deepEqual(tag, ['# Created tag v1', '## Commits (1)', commit]);
    });

    it('activity documents show a message without access', async () => {
      const response = await stage.send('PUT', '/api/v4/projects/1', stage.ada, { visibility: 'private' });
      assert.equal(response.status, 200, response.text);
      const client = clientOf(stage.otto);
      for (const load of [loadIssue, loadMergeRequest])
        await assert.rejects(load(client, 1, 1), (error) => failureOfError(error)?.kind === 'notFound');
      await assert.rejects(loadCommit(client, 1, head), (error) => failureOfError(error)?.kind === 'notFound');
      const [event] = await pushes();
      assert.ok(event?.push_data !== undefined && event.push_data !== null);
      assert.deepEqual(await loadPush(client, 1, event.push_data), { message: '', isGone: true });
    });
  });
}
