import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import {
  createMergeRequest,
  findMergeRequest,
  type MergeRequest,
} from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { commentableMergeRequest } from '../../../server/features/mergeRequests/commentable.ts';
import { comment } from '../../../server/features/notes/notes.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { browser, formExample } from './browser.ts';
import { type Example, type Examples, sendExample } from './example.ts';
import { admin, type Fixture, inGroup, person, tokenOf } from './fixture.ts';
import { codeProject, fillCode, codeRequest } from './repositories.ts';

/** Route path of a merge request. */
const REQUEST = '/api/v4/projects/:id/merge_requests/:merge_request_iid';

/** Opens a merge request into the default branch. */
function openRequest(
  { server: { platform }, root, ada }: Fixture,
  found: FoundProject,
  sourceBranch: string,
  targetBranch = 'main',
  people: { readonly assigneeIds?: readonly number[]; readonly reviewerIds?: readonly number[] } = {
    assigneeIds: [root.id],
    reviewerIds: [ada.id],
  },
): MergeRequest {
  const input = {
    title: 'Green lamps',
    sourceBranch,
    targetBranch,
    labels: ['hardware'],
    ...people,
  };
  return createMergeRequest(platform, { source: found, target: found }, root, input);
}

const shown = new WeakMap<Fixture, number>();

const inGroups = new WeakMap<Fixture, Promise<unknown>>();

/** Creates a merge request in the group of a fixture; shared, because it takes several git processes. */
function requestInGroup(fixture: Fixture): Promise<unknown> {
  const make = async (): Promise<MergeRequest> => {
    const { server, root, group, fresh } = fixture;
    const input = { name: fresh('code'), namespaceId: group.group.id, visibility: 'public' } as const;
    const found = createProject(server.platform, root, input);
    await fillCode(fixture, found);
    return openRequest(fixture, found, 'topic');
  };
  const made = inGroups.get(fixture) ?? make();
  inGroups.set(fixture, made);
  return made;
}

/** Returns a request for an issue that a merge request closes. */
async function closingIssueRequest(fixture: Fixture): Promise<Example> {
  const { server, root } = fixture;
  const found = await codeProject(fixture);
  const { iid, id } = createIssue(server.platform, found, root, { title: 'No green lamps' });
  server.platform.store.run('INSERT INTO merge_request_issues (merge_request_id, issue_id, closes) VALUES ($request, $id, 1)', {
    request: (await shownRequest(fixture)).id,
    id,
  });
  return codeRequest(fixture, { issue_iid: String(iid) });
}

/** Returns the merge request of a fixture that no example closes or deletes. */
async function shownRequest(fixture: Fixture): Promise<MergeRequest> {
  const found = await codeProject(fixture);
  const iid = shown.get(fixture);
  const known = iid === undefined ? undefined : findMergeRequest(fixture.server.platform, found, iid);
  if (known !== undefined) return known;
  const opened = openRequest(fixture, found, 'topic');
  shown.set(fixture, opened.iid);
  return opened;
}

/** Creates a branch at another branch or tag, in the database only because git processes are slow. */
async function freshBranch(fixture: Fixture, at = 'topic'): Promise<string> {
  const { server, fresh } = fixture;
  const { project } = await codeProject(fixture);
  const branch = fresh('branch');
  server.platform.store.run(
    `INSERT INTO repository_refs (project_id, kind, name, target, commit_id, committed_at)
     SELECT project_id, 'branch', $branch, commit_id, commit_id, committed_at FROM repository_refs
     WHERE project_id = $projectId AND name = $at LIMIT 1`,
    { branch, at, projectId: project.id },
  );
  return branch;
}

async function ofRequest(fixture: Fixture, more: Example['path'] = {}, params: Example['params'] = {}): Promise<Example> {
  const { iid } = await shownRequest(fixture);
  return codeRequest(fixture, { merge_request_iid: String(iid), ...more }, params);
}

/** Returns a request for a new merge request. */
async function freshRequestExample(fixture: Fixture, params: Example['params'] = {}): Promise<Example> {
  const target = await freshBranch(fixture, 'v1');
  const { iid } = openRequest(fixture, await codeProject(fixture), await freshBranch(fixture), target);
  return codeRequest(fixture, { merge_request_iid: String(iid) }, params);
}

/** Returns a request for a new merge request without assignees and reviewers. */
export async function freshRequestOfNobody(fixture: Fixture): Promise<Example> {
  const target = await freshBranch(fixture, 'v1');
  const { iid } = openRequest(fixture, await codeProject(fixture), await freshBranch(fixture), target, {});
  return codeRequest(fixture, { merge_request_iid: String(iid) });
}

/** Creates a token of a user who may approve in all projects. */
function developerToken({ server, fresh }: Fixture): string {
  const user = person(server, fresh('approver'));
  server.platform.store.run('UPDATE users SET admin = 1 WHERE id = $id', { id: user.id });
  return tokenOf(server, user);
}

/** Creates a thread on the merge request of a fixture and returns its path parameters. */
async function inRequestThread(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  const { server, root } = fixture;
  const [found, request] = [await codeProject(fixture), await shownRequest(fixture)];
  const commentable = commentableMergeRequest(server.platform, found, request, root);
  const made = comment(server.platform, commentable, root, { body: 'Which green?' }, { kind: 'thread' });
  if (!('note' in made)) throw new Error('the thread has no note');
  return { discussion_id: made.note.discussion_id, note_id: String(made.note.id) };
}

/** Returns the position of a changed line of the fixture's merge request. */
async function onLine(fixture: Fixture): Promise<Readonly<Record<string, unknown>>> {
  const { head_sha, start_sha } = await shownRequest(fixture);
  const file = { old_path: 'lamps/green.txt', new_path: 'lamps/green.txt', new_line: 1 };
  return { position_type: 'text', base_sha: start_sha, start_sha, head_sha, ...file };
}

export const mergeRequestExamples: Examples = {
  'GET /api/v4/projects/:id/repository/commits/:sha/merge_requests': async (fixture) => {
    const { head_sha } = await shownRequest(fixture);
    return codeRequest(fixture, { sha: head_sha }, { state: 'opened' });
  },
  'GET /api/v4/merge_requests': async (fixture) => {
    await shownRequest(fixture);
    return { token: admin, params: { scope: 'all', state: 'opened' } };
  },
  'GET /api/v4/groups/:id/merge_requests': async (fixture) => {
    await requestInGroup(fixture);
    return { token: admin, path: inGroup(fixture.group), params: { view: 'simple' } };
  },
  'GET /api/v4/projects/:id/merge_requests': async (fixture) => {
    await shownRequest(fixture);
    return codeRequest(fixture, {}, { state: 'opened', not: { author_username: 'ada' } });
  },
  'POST /api/v4/projects/:id/merge_requests': async (fixture) => {
    const source_branch = await freshBranch(fixture);
    return codeRequest(
      fixture,
      {},
      { title: 'Green lamps', source_branch, target_branch: 'main', reviewer_ids: [fixture.ada.id] },
    );
  },
  [`GET ${REQUEST}`]: (fixture) =>
    ofRequest(fixture, {}, { include_diverged_commits_count: true, include_rebase_in_progress: true }),
  [`PUT ${REQUEST}`]: (fixture) => ofRequest(fixture, {}, { description: 'Lamps that shine green' }),
  [`DELETE ${REQUEST}`]: async (fixture) => freshRequestExample(fixture),
  [`PUT ${REQUEST}/merge`]: (fixture) => freshRequestExample(fixture, { squash: true }),
  [`POST ${REQUEST}/cancel_merge_when_pipeline_succeeds`]: async (fixture) => {
    const example = await freshRequestExample(fixture);
    fixture.server.platform.store.run('UPDATE merge_requests SET auto_merge = 1, auto_merge_user_id = 1 WHERE iid = $iid', {
      iid: example.path?.['merge_request_iid'] ?? '',
    });
    return example;
  },
  [`POST ${REQUEST}/approve`]: async (fixture) => ({ ...(await freshRequestExample(fixture)), token: developerToken(fixture) }),
  [`POST ${REQUEST}/unapprove`]: async (fixture) => {
    const example = { ...(await freshRequestExample(fixture)), token: developerToken(fixture) };
    await sendExample(fixture.server, { method: 'POST', path: `${REQUEST}/approve` }, example);
    return example;
  },
  [`POST ${REQUEST}/subscribe`]: async (fixture) => ({ ...(await freshRequestExample(fixture)), token: developerToken(fixture) }),
  [`POST ${REQUEST}/unsubscribe`]: (fixture) => freshRequestExample(fixture),
  [`GET ${REQUEST}/approvals`]: async (fixture) => {
    const example = await freshRequestExample(fixture);
    await sendExample(
      fixture.server,
      { method: 'POST', path: `${REQUEST}/approve` },
      { ...example, token: developerToken(fixture) },
    );
    return example;
  },
  'GET /api/v4/projects/:id/issues/:issue_iid/related_merge_requests': (fixture) => closingIssueRequest(fixture),
  'GET /api/v4/projects/:id/issues/:issue_iid/closed_by': (fixture) => closingIssueRequest(fixture),
  [`GET ${REQUEST}/closes_issues`]: async (fixture) => {
    await closingIssueRequest(fixture);
    return ofRequest(fixture);
  },
  [`GET ${REQUEST}/participants`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/reviewers`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/commits`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/diffs`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/changes`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/raw_diffs`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/versions`]: (fixture) => ofRequest(fixture),
  [`GET ${REQUEST}/versions/:version_id`]: async (fixture) =>
    ofRequest(fixture, { version_id: String((await shownRequest(fixture)).version_id) }),
  [`GET ${REQUEST}/notes`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`POST ${REQUEST}/notes`]: (fixture) => ofRequest(fixture, {}, { body: 'Looks good.' }),
  [`GET ${REQUEST}/notes/:note_id`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`PUT ${REQUEST}/notes/:note_id`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture), { body: 'Looks better.' }),
  [`DELETE ${REQUEST}/notes/:note_id`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`GET ${REQUEST}/discussions`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`POST ${REQUEST}/discussions`]: async (fixture) => ofRequest(fixture, {}, { body: 'Why?', position: await onLine(fixture) }),
  [`GET ${REQUEST}/discussions/:discussion_id`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`PUT ${REQUEST}/discussions/:discussion_id`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture), { resolved: true }),
  [`GET ${REQUEST}/discussions/:discussion_id/notes`]: async (fixture) => ofRequest(fixture, await inRequestThread(fixture)),
  [`POST ${REQUEST}/discussions/:discussion_id/notes`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture), { body: 'Because.' }),
  [`GET ${REQUEST}/discussions/:discussion_id/notes/:note_id`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture)),
  [`PUT ${REQUEST}/discussions/:discussion_id/notes/:note_id`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture), { resolved: true }),
  [`DELETE ${REQUEST}/discussions/:discussion_id/notes/:note_id`]: async (fixture) =>
    ofRequest(fixture, await inRequestThread(fixture)),
  'GET /*full_path/-/merge_requests': async (fixture) => {
    await shownRequest(fixture);
    return { path: { full_path: (await codeProject(fixture)).project.full_path } };
  },
  'GET /*full_path/-/merge_requests/new': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { full_path: (await codeProject(fixture)).project.full_path },
  }),
  'POST /*full_path/-/merge_requests': async (fixture) => {
    const found = await codeProject(fixture);
    const branch = fixture.fresh('next');
    await createBranch(fixture.server.platform, found, fixture.root, branch, 'topic');
    const address = `/${found.project.full_path}/-/merge_requests`;
    const page = `${address}/new?merge_request%5Bsource_branch%5D=${branch}`;
    return { ...(await formExample(await browser(fixture), page, address)), path: { full_path: found.project.full_path } };
  },
  'GET /*full_path/-/merge_requests/:merge_request_iid': async (fixture) => ({
    path: {
      full_path: (await codeProject(fixture)).project.full_path,
      merge_request_iid: String((await shownRequest(fixture)).iid),
    },
  }),
};
