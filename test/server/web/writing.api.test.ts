import assert from 'node:assert/strict';
import { createEpic } from '../../../server/features/epics/manageEpics.ts';
import { commentableEpic } from '../../../server/features/epics/commentable.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { commentOnIssue, createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { commentableMergeRequest } from '../../../server/features/mergeRequests/commentable.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { comment } from '../../../server/features/notes/notes.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { createRelease } from '../../../server/features/releases/manageReleases.ts';
import { commentableSnippet } from '../../../server/features/snippets/commentable.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { MAX_MARKDOWN_LENGTH } from '../../../server/web/markdown.ts';
import { actor } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Known attack strings, followed by a text that shows that the whole was rendered. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[one](javascript:alert(1)) [two](&#106;avascript:alert(1)) [three](data:text/html,x) [four](vscode://file/etc)',
  '![x"onerror="alert(1)](y.png"onerror="alert(1)) ![x](https://elsewhere.example/y.png)',
  '[x](y"onclick="alert(1) "t\\"onclick=\\"alert(1)")',
  '@ines"onclick="alert(1) #1<svg/onload=alert(1)> !1"><b onclick=x>',
  '</div></section></main><form action="/-/profile" method="post"><button>x</button></form>',
  '<a href="javascript:alert(1)">x</a> <style>*{display:none}</style> <!-- -->',
  '```"><script>\nx\n```',
  '# <svg onload=alert(1)>',
  '| <script> |\n|---|\n| <b onclick=x> |',
  '**rendered**',
].join('\n\n');

const ALLOWED =
  /^<\/?(?:p|a|pre|code|table|thead|tbody|tr|th|td|strong|em|ul|ol|li|blockquote|h\d|br)(?: (?:href|rel|id|title|class|tabindex)="[^"<>]*")*(?: ?\/)?>\n?$/;

describe('texts of users on pages', function () {
  let server: TestServer;
  let person: PageClient;
  /** URLs of pages by the description of the shown text. */
  const pages = new Map<string, string>();
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    const root = actor(platform, 'ines');
    person = new PageClient(server);
    await person.signIn('ines');
    await fill(root.user);

    async function fill(user: typeof root.user): Promise<void> {
      const found = createProject(platform, user, { name: 'Lamps', visibility: 'public' });
      const group = createGroup(platform, user, { name: 'Harbour', path: 'harbour' });
      const at = '/ines/lamps/-';
      const message = `Title\n\n${HOSTILE}`;
      const actions = [{ action: 'create', path: 'a', content: Buffer.from('a') }] as const;
      const commit = await createCommit(platform, found, user, { branch: 'main', message, actions });
      pages.set('the message of a commit', `${at}/commit/${commit}`);
      const issue = createIssue(platform, found, user, { title: 'One', description: HOSTILE });
      pages.set('the description of an issue', `${at}/issues/1`);
      const commented = createIssue(platform, found, user, { title: 'Two' });
      commentOnIssue(platform, found, commented, user, { body: HOSTILE });
      pages.set('a comment on an issue', `${at}/issues/${commented.iid}`);
      assert.equal(issue.iid, 1);
      const more = [{ action: 'create', path: 'b', content: Buffer.from('b') }] as const;
      for (const [name, source] of [
        ['the description of a merge request', 'b'],
        ['a comment on a merge request', 'c'],
      ] as const) {
        await createCommit(platform, found, user, { branch: source, startBranch: 'main', message: 'm', actions: more });
        const input = { title: 'One', sourceBranch: source, targetBranch: 'main' };
        const description = source === 'b' ? HOSTILE : undefined;
        const made = createMergeRequest(platform, { source: found, target: found }, user, { ...input, description });
        if (source === 'c') comment(platform, commentableMergeRequest(platform, found, made, user), user, { body: HOSTILE });
        pages.set(name, `${at}/merge_requests/${made.iid}`);
      }
      createMilestone(platform, { kind: 'project', id: found.project.id }, user, { title: 'One', description: HOSTILE });
      pages.set('a milestone of a project', `${at}/milestones/1`);
      createMilestone(platform, { kind: 'group', id: group.group.id }, user, { title: 'One', description: HOSTILE });
      pages.set('a milestone of a group', '/groups/harbour/-/milestones/1');
      createEpic(platform, group, user, { title: 'One', description: HOSTILE });
      pages.set('the description of an epic', '/groups/harbour/-/epics/1');
      comment(platform, commentableEpic(platform, group, createEpic(platform, group, user, { title: 'Two' })), user, {
        body: HOSTILE,
      });
      pages.set('a comment on an epic', '/groups/harbour/-/epics/2');
      const snippet = { title: 'One', visibility: 'public', files: [{ path: 'a', content: 'a' }] } as const;
      const own = await createSnippet(platform, user, { ...snippet, description: HOSTILE });
      pages.set('a snippet of a user', `/-/snippets/${own.id}`);
      const ofProject = await createSnippet(platform, user, { ...snippet, projectId: found.project.id });
      comment(platform, commentableSnippet(platform, found, ofProject), user, { body: HOSTILE });
      pages.set('a comment on a snippet', `${at}/snippets/${ofProject.id}`);
      await createRelease(platform, found, user, { tag: 'v1', ref: 'main', description: HOSTILE });
      pages.set('a release', `${at}/releases/v1`);
    }
  });
  after(() => server.close());

  /** Returns the rendered texts of a page as HTML. */
  async function textsOf(address: string): Promise<string[]> {
    const page = await person.open(address);
    assert.equal(page.status, 200, page.text);
    return [...page.text.matchAll(/<div class="markdown">(.*?)<\/div>/gs)].map(([, text = '']) => text);
  }

  for (const name of [
    'the message of a commit',
    'the description of an issue',
    'a comment on an issue',
    'the description of a merge request',
    'a comment on a merge request',
    'a milestone of a project',
    'a milestone of a group',
    'the description of an epic',
    'a comment on an epic',
    'a snippet of a user',
    'a comment on a snippet',
    'a release',
  ]) {
    it(`a text of a user cannot run scripts: ${name}`, async () => {
      const address = pages.get(name) ?? '';
      const [text = '', ...others] = await textsOf(address);
      assert.deepEqual(others, []);
      assert.ok(text.includes('<strong>rendered</strong>'), text);
      for (const [tag] of text.matchAll(/<[^>]*>/g)) assert.match(tag, ALLOWED, text);
      for (const [, to = ''] of text.matchAll(/href="([^"]*)"/g)) assert.match(to, /^(?:\/ines(?:\/lamps\/-\/|$)|#)/, text);
      // Headings of comments have their own IDs, below that of the comments section.
      const heading = /<h(\d) id="([^"]*)"/.exec(text);
      assert.deepEqual(
        heading?.slice(1, 3).map((part) => part.replace(/\d+-/, 'N-')),
        name.startsWith('a comment') ? ['3', 'note-N-svg-onloadalert1'] : ['2', 'text-svg-onloadalert1'],
      );
      const whole = (await person.open(address)).text;
      assert.equal(whole.match(/<script(?! src="\/assets)/g), null);
      assert.equal(whole.match(/<main/g)?.length, 1);
    });
  }

  it('references to issues, merge requests, users and files become links', async () => {
    const { platform } = server;
    const { user } = actor(platform, 'bo');
    const found = createProject(platform, user, { name: 'Buoys' });
    const description = [
      'See #12, !3 and @ines, not @nobody, `#1`, [#2](a/b.md), a#4, ##5, #6a or x@ines.',
      '- [x] done\n- [ ] not yet\n- [up](../../../../../-/profile) [root](/docs/c d.md#l)',
    ].join('\n\n');
    const issue = createIssue(platform, found, user, { title: 'One', description });
    await person.signIn('bo');
    const [text = ''] = await textsOf(`/bo/buoys/-/issues/${issue.iid}`);
    await person.signIn('ines');
    assert.deepEqual(
      [...text.matchAll(/<a(?: href="([^"]*)")?>([^<]*)</g)].map(([, to, text]) => [text, to]),
      [
        ['#12', '/bo/buoys/-/issues/12'],
        ['!3', '/bo/buoys/-/merge_requests/3'],
        ['@ines', '/ines'],
        ['#2', '/bo/buoys/-/blob/main/a/b.md'],
        ['up', undefined],
      ],
    );
    assert.match(text, /☑ done/);
    assert.match(text, /☐ not yet/);
  });

  it('texts are shown as plain text once the budget of a page is used up', async () => {
    const { platform } = server;
    const { user } = actor(platform, 'kenji');
    const found = createProject(platform, user, { name: 'Bells' });
    const issue = createIssue(platform, found, user, { title: 'One', description: '**first**' });
    commentOnIssue(platform, found, issue, user, { body: `**second**${'a'.repeat(MAX_MARKDOWN_LENGTH - 20)}` });
    commentOnIssue(platform, found, issue, user, { body: '**third** <b>' });
    await person.signIn('kenji');
    const page = await person.open(`/kenji/bells/-/issues/${issue.iid}`);
    await person.signIn('ines');
    assert.ok(page.text.includes('<strong>first</strong>') && page.text.includes('<strong>second</strong>'));
    assert.ok(page.text.includes('<p class="typed">**third** &lt;b&gt;</p>'));
  });

  it('commit messages keep their line breaks', async () => {
    const { platform } = server;
    const { user } = actor(platform, 'zoe');
    const found = createProject(platform, user, { name: 'Ropes', visibility: 'public' });
    const message = 'Title\n\nReviewed-by: Bo\nSigned-off-by: Zoe';
    const actions = [{ action: 'create', path: 'a', content: Buffer.from('a') }] as const;
    const id = await createCommit(platform, found, user, { branch: 'main', message, actions });
    assert.deepEqual(await textsOf(`/zoe/ropes/-/commit/${id}`), ['<p>Reviewed-by: Bo<br>\nSigned-off-by: Zoe</p>\n']);
  });
});
