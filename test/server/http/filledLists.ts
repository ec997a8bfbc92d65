// Objects with which the lists of the API are filled, so that each list has several pages.
import assert from 'node:assert/strict';
import { writeAuditEvent } from '../../../server/features/audit/auditEvents.ts';
import { type AuditEntity } from '../../../server/features/audit/rules.ts';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { createBranch, createTag } from '../../../server/features/pushes/refUpdates.ts';
import { findCommit } from '../../../server/features/git/refs.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createUpload } from '../../../server/features/uploads/files.ts';
import { commentableCommit } from '../../../server/features/commitComments/commentable.ts';
import { addEmail } from '../../../server/features/emails/manageEmails.ts';
import { createEpic } from '../../../server/features/epics/manageEpics.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { commentableEpic } from '../../../server/features/epics/commentable.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { setEnterpriseGroup } from '../../../server/features/users/enterprise.ts';
import { insertFollow } from '../../../server/features/users/follows.ts';
import type { User } from '../../../server/core/caller.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { commentOnIssue, createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createRule } from '../../../server/features/approvalRules/manageApprovalRules.ts';
import { addDeployKey } from '../../../server/features/deployKeys/manageDeployKeys.ts';
import { addSshKey } from '../../../server/features/sshKeys/manageSshKeys.ts';
import { allow } from '../../../server/features/jobTokens/allowlists.ts';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import { createVariable } from '../../../server/features/ciVariables/variables.ts';
import { createSchedule } from '../../../server/features/pipelineSchedules/schedules.ts';
import { createDeployToken } from '../../../server/features/deployTokens/manageDeployTokens.ts';
import { instanceOwner, registrationToken } from '../../../server/features/registrationTokens/registrationTokens.ts';
import { registerRunner } from '../../../server/features/runners/manageRunners.ts';
import { createRule as protect } from '../../../server/features/protectedRefs/manageProtectedRefs.ts';
import { changePlanLimits } from '../../../server/features/settings/settings.ts';
import { createLabel } from '../../../server/features/labels/manageLabels.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { createLink, createRelease, type Release } from '../../../server/features/releases/manageReleases.ts';
import { addFile, createPackage } from '../../../server/features/packages/managePackages.ts';
import { createJob, createPipeline } from '../../../server/features/pipelines/managePipelines.ts';
import { createContainerRepository, writeContainerTag } from '../../../server/features/registry/containerRepositories.ts';
import { createMergeRequest, findMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { commentableMergeRequest } from '../../../server/features/mergeRequests/commentable.ts';
import { comment, type Commentable } from '../../../server/features/notes/notes.ts';
import type { Platform } from '../../../server/platform.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { findSnippet } from '../../../server/features/snippets/access.ts';
import { commentableSnippet } from '../../../server/features/snippets/commentable.ts';
import { insertStar } from '../../../server/features/stars/store.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../../../server/features/virtualRegistries/manageUpstreams.ts';
import { hearSession } from '../errorTracking/releases/heardSessions.ts';
import { keepSourceMap } from '../errorTracking/sourceMaps/storedSourceMaps.ts';
import { fullEvent, reportError } from '../errorTracking/reports.ts';
import { type Fixture, person } from '../../support/examples.ts';
import { addSentDelivery } from '../../support/hookReceiver.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { mailTo } from '../../support/mails.ts';
import { type TestServer } from '../../support/server.ts';

/** Number of items per list. */
export const MANY = 9;

export const TAGS = '/api/v4/projects/:id/registry/repositories/:repository_id/tags';
export const PACKAGE_PIPELINES = '/api/v4/projects/:id/packages/:package_id/pipelines';
export const ERRORS = '/api/v4/projects/:id/error_tracking/errors';
export const EVENTS = `${ERRORS}/:fingerprint/events`;
export const PIPELINE_JOBS = '/api/v4/projects/:id/pipelines/:pipeline_id/jobs';
const SCHEDULED = '/api/v4/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines';

/** Fills a repository with files, commits, branches and tags; `sha` is a commit that they all contain. */
export async function fillRepository({ server, root, group }: Fixture): Promise<Readonly<Record<string, string>>> {
  const { platform } = server;
  const found = createProject(platform, root, { name: 'Repository', visibility: 'public' });
  assert.ok(typeof found === 'object');
  const commit = (files: readonly string[], author = 'root') =>
    createCommit(platform, found, root, {
      branch: 'main',
      message: 'More',
      authorName: author,
      authorEmail: `${author}@example.com`,
      actions: files.map((path) => ({ action: 'create', path, content: Buffer.from(path) })),
    });
  let first: Release | undefined;
  const sha = await commit(Array.from({ length: MANY }, (_, index) => `file${index}`));
  const pipeline = createPipeline(platform, found, root, { ref: 'main', sha });
  for (let index = 0; index < MANY; index += 1) {
    createJob(platform, pipeline, root, { name: `job${index}` });
    await commit([`more${index}`], `author${index}`);
    await createBranch(platform, found, root, `branch${index}`, 'main');
    await createTag(platform, found, root, { name: `tag${index}`, ref: 'main' });
    const link = { name: `asset${index}`, url: `https://files.example/${index}` };
    const release = await createRelease(platform, found, root, { tag: `tag${index}`, name: `Release ${index}` });
    first ??= release;
    createLink(platform, first, link);
  }
  const commented = await findCommit(platform, found.project, sha);
  assert.ok(commented);
  commentOn(platform, commentableCommit(platform, found, commented, true), root);
  return {
    id: String(found.project.id),
    sha,
    tag_name: 'tag0',
    issue_iid: '1',
    merge_request_iid: String(await fillMergeRequests({ server, root, group }, found)),
  };
}

/** Creates merge requests of a project and of a group. Returns the iid of one with many commits, comments and so on. */
async function fillMergeRequests(
  { server, root, group }: Pick<Fixture, 'server' | 'root' | 'group'>,
  found: FoundProject,
): Promise<number> {
  const { platform } = server;
  const ends = { source: found, target: found };
  createIssue(platform, found, root, { title: 'Closed by many' });
  const input = (sourceBranch: string) => ({ title: `${sourceBranch}, closes #1`, sourceBranch, targetBranch: 'main' });
  const closed = Array.from({ length: MANY }, (_, index) => createIssue(platform, found, root, { title: `Closed ${index}` }));
  for (let index = 0; index < MANY; index += 1) createMergeRequest(platform, ends, root, input(`branch${index}`));
  await createBranch(platform, found, root, 'topic', 'main');
  const { iid } = createMergeRequest(platform, ends, root, {
    ...input('topic'),
    description: closed.map((issue) => `Closes #${issue.iid}`).join('\n'),
  });
  for (let index = 0; index < MANY; index += 1) {
    const path = `topic${index}`;
    const actions = [{ action: 'create', path, content: Buffer.from(path) }] as const;
    await createCommit(platform, found, root, { branch: 'topic', message: path, actions });
    const commenter = person(server, `commenter${index}`);
    const request = findMergeRequest(platform, found, iid);
    assert.ok(request !== undefined);
    const seen = findProject(platform, found.project.id, { user: commenter });
    assert.ok(seen !== undefined);
    comment(platform, commentableMergeRequest(platform, seen, request, commenter), commenter, { body: path });
  }
  const shared = [{ action: 'create', path: 'shared', content: Buffer.from('shared') }] as const;
  await createCommit(platform, found, root, { branch: 'for-all', startBranch: 'main', message: 'Shared', actions: shared });
  for (let index = 0; index < MANY; index += 1) {
    await createBranch(platform, found, root, `shared${index}`, 'for-all');
    createMergeRequest(platform, ends, root, { title: 'Shared', sourceBranch: `shared${index}`, targetBranch: 'main' });
  }
  const inGroup = createProject(platform, root, { name: 'In group', visibility: 'public', namespaceId: group.group.id });
  await createCommit(platform, inGroup, root, {
    branch: 'main',
    message: 'One',
    actions: [{ action: 'create', path: 'one', content: Buffer.from('1') }],
  });
  for (let index = 0; index < MANY; index += 1) {
    await createBranch(platform, inGroup, root, `branch${index}`, 'main');
    createMergeRequest(platform, { source: inGroup, target: inGroup }, root, input(`branch${index}`));
  }
  return iid;
}

/** Assigns a package to another pipeline. */
export function assignToPipeline({ platform }: TestServer, packageId: number, pipelineId: number): void {
  platform.store.run('INSERT INTO package_pipelines (package_id, pipeline_id) VALUES ($packageId, $pipelineId)', {
    packageId,
    pipelineId,
  });
}

/** Inserts rows of snippets directly, because creating snippets starts several programs each. One of them has comments. */
export function fillSnippets({ server: { platform }, project, root }: Fixture): Filled {
  const { store } = platform;
  let snippetId = 0;
  for (let index = 0; index < MANY; index += 1) {
    for (const projectId of [null, project.project.id]) {
      const folder = `snippet ${index} of ${projectId}`;
      const { lastId } = store.run("INSERT INTO single_repositories (storage, folder) VALUES ('default', $folder)", { folder });
      ({ lastId: snippetId } = store.run(
        `INSERT INTO snippets (project_id, author_id, repository_id, title, visibility, files, created_at, updated_at)
         VALUES ($projectId, $author, $repository, 'Snippet', 'public', '["a.txt"]', $index, $index)`,
        { projectId, author: root.id, repository: lastId, index },
      ));
    }
  }
  const found = findSnippet(platform, snippetId, { user: root });
  assert.ok(found);
  commentOn(platform, commentableSnippet(platform, project, found.snippet), root);
  for (let index = 0; index < MANY; index += 1) moved(platform, 'snippet_id', snippetId);
  const path = { id: String(project.project.id), snippet_id: String(snippetId) };
  const one = '/api/v4/projects/:id/snippets/:snippet_id';
  const moves = '/api/v4/snippets/:id/repository_storage_moves';
  return { [`${one}/notes`]: path, [`${one}/discussions`]: path, [moves]: { id: String(snippetId) } };
}

function commentOn(platform: Platform, commentable: Commentable, root: User): void {
  for (let index = 0; index < MANY; index += 1) comment(platform, commentable, root, { body: `Comment ${index}` });
}

/** Path parameters of filled lists that differ from those of the example, by the path of the route. */
export type Filled = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Writes one audit event for each given type of entity. */
export function audit({ server, root, project, group }: Fixture, types: readonly AuditEntity['type'][], name = 'filled'): void {
  for (const type of types) {
    const id = type === 'Group' ? group.group.id : type === 'Project' ? project.project.id : root.id;
    const entity = { type, id, name: 'a place', path: 'place' };
    const target = { type, id, details: 'place' };
    const event = { name, message: 'Filled', entity, target, action: {}, authorId: root.id, address: null };
    writeAuditEvent(server.platform, event);
  }
}

function moved({ store }: Platform, container: 'project_id' | 'group_id' | 'snippet_id', id: number): void {
  store.run(
    `INSERT INTO repository_storage_moves (${container}, state, source_storage, destination_storage, created_at)
     VALUES ($id, 'finished', 'default', 'default', $id)`,
    { id },
  );
}

/** Fills the other lists of a fixture. */
export function fill(fixture: Fixture): Filled {
  const { server, root, ada, project, group, issue } = fixture;
  const { platform } = server;
  const start = { ref: 'main', sha: 'a'.repeat(40) };
  const pipeline = createPipeline(platform, project, root, start);
  changePlanLimits(platform, { ci_pipeline_schedules: 0 });
  const schedule = createSchedule(platform, project, root, { description: 'Filled', ref: 'main', cron: '0 1 * * *' });
  const images = createContainerRepository(platform, project, 'filled');
  const maven = createRegistry(platform, group, { name: 'filled' });
  const { upstream } = createUpstream(platform, maven, { url: 'https://maven.example/filled' });
  const packed = createPackage(platform, project, { name: 'packed', version: '1' });
  const receiver = { url: 'http://127.0.0.1:9/', events: { push_events: false } };
  const ownHook = createHook(platform, { projectId: project.project.id }, receiver);
  const groupHook = createHook(platform, { groupId: group.group.id }, receiver);
  setErrorTracking(platform, project.project.id, true);
  for (let index = 0; index < MANY; index += 1) {
    platform.deprecatedCalls.add({
      deprecation: 'runner-registration',
      at: platform.clock.now(),
      username: root.username,
      userAgent: '',
      oauthTokenId: undefined,
      request: `POST /api/v4/runners ${index}`,
    });
  }
  const users: User[] = Array.from({ length: MANY }, (_, index) => person(server, `filler${index}`));
  for (const [index, user] of users.entries()) {
    const name = `Filler ${index % 3} of ${index}`;
    addMember(platform, project.project, user, { level: 30, expiresAt: null }, { user: root, access: project.access });
    addGroupMember(platform, group.group, user, { level: 30 }, { user: root });
    setEnterpriseGroup(platform, user, group.group.id);
    const outer = createGroup(platform, root, { name, path: `filler-group${index}`, visibility: 'public' });
    allow(platform, project.project.id, 'inbound', { groupId: outer.group.id });
    createGroup(platform, root, { name, path: `inner${index}`, visibility: 'public', parent: group });
    const inGroup = createProject(platform, root, { name, visibility: 'public', namespaceId: group.group.id });
    allow(platform, project.project.id, 'inbound', { projectId: inGroup.project.id });
    createVariable(platform, { projectId: project.project.id }, { key: `FILLED_${index}`, value: name });
    createVariable(platform, { groupId: group.group.id }, { key: `FILLED_${index}`, value: name });
    createHook(platform, { projectId: project.project.id }, receiver);
    createHook(platform, { groupId: group.group.id }, receiver);
    for (const { id } of [ownHook, groupHook]) addSentDelivery(platform, id, receiver.url);
    createSchedule(platform, project, root, { description: name, ref: 'main', cron: '0 1 * * *' });
    createIssue(platform, inGroup, root, { title: name, assigneeIds: [root.id] });
    createRule(
      platform,
      project.project,
      { user: root, credential: { kind: 'session' } },
      { name, approvalsRequired: 0, ruleType: 'regular' },
    );
    moved(platform, 'project_id', project.project.id);
    moved(platform, 'group_id', group.group.id);
    const keyInput = { title: name, key: freshPublicKey(), canPush: index % 2 === 0, expiresAt: undefined };
    addDeployKey(platform, project.project, root, keyInput);
    addSshKey(platform, root, { title: name, key: freshPublicKey(), usageType: 'auth', expiresAt: undefined });
    registerRunner(platform, registrationToken(platform, instanceOwner), { tags: ['lamps'] }, {});
    registerRunner(platform, registrationToken(platform, { kind: 'project', id: project.project.id }), {}, {});
    const deployToken = { name, username: undefined, scopes: ['read_repository'], expiresAt: undefined };
    createDeployToken(platform, { projectId: project.project.id, groupId: null }, deployToken);
    createDeployToken(platform, { projectId: null, groupId: group.group.id }, deployToken);
    protect(platform, project.project, 'branch', `filler${index}/*`, { grants: {} });
    protect(platform, project.project, 'tag', `filler${index}/*`, { grants: {} });
    createLabel(platform, { kind: 'project', id: project.project.id }, { title: name, color: '#123456' });
    createLabel(platform, { kind: 'group', id: group.group.id }, { title: name, color: '#123456' });
    createMilestone(platform, { kind: 'project', id: project.project.id }, root, { title: name });
    createMilestone(platform, { kind: 'group', id: group.group.id }, root, { title: name });
    const own = createProject(platform, root, { name, visibility: 'public', forkedFromId: project.project.id });
    insertStar(platform.store, own.project.id, root.id, index);
    insertStar(platform.store, project.project.id, user.id, index);
    insertFollow(platform.store, root.id, user.id);
    insertFollow(platform.store, user.id, root.id);
    addEmail(platform, root, { address: `filler-root${index}@example.com` });
    createEpic(platform, group, root, { title: name });
    createIssue(platform, project, root, {
      title: name,
      // Some issues have none, and some have equal ones.
      ...(index < 6 ? { weight: index % 4, dueDate: `2027-01-0${1 + (index % 3)}` } : {}),
    });
    commentOnIssue(platform, project, issue, root, { body: name });
    createApplication(platform, { name, scopes: ['api'], confidential: true });
    issuePersonalToken(platform, ada, { name, scopes: ['api'], expiresAt: null });
    mailTo(platform, root, { subject: name });
    const status = index % 2 === 0 ? 'running' : 'failed';
    const { id: pipelineId } = createPipeline(platform, project, root, { ...start, ref: name, status });
    const run = { pipelineId, scheduleId: schedule.id };
    platform.store.run('INSERT INTO scheduled_pipelines (pipeline_id, schedule_id) VALUES ($pipelineId, $scheduleId)', run);
    assignToPipeline(server, packed.id, pipelineId);
    createPackage(platform, project, { name, type: index % 2 === 0 ? 'npm' : 'maven', version: String(index % 3) });
    createContainerRepository(platform, project, `filler${index}`);
    createRegistry(platform, group, { name });
    createUpstream(platform, maven, { url: `https://maven.example/${index}`, name });
    addCacheEntry(platform, upstream, { path: `file/${index}`, sha1: 'a'.repeat(40), size: index });
    createContainerRepository(platform, inGroup, `filler${index}`);
    writeContainerTag(platform, images, { name: `filler${index}` });
    createPackage(platform, inGroup, { name, version: '1' });
    addFile(platform, packed, { name: `file ${index % 3}`, size: index });
    createJob(platform, pipeline, root, { name });
    createClientKey(platform, project.project.id);
    createUpload(platform, project.project, root, { name: `${index}.txt`, bytes: Buffer.from(name) });
    keepSourceMap(platform, project.project.id, `app${index}.js`);
    hearSession(platform, project.project.id, `filler@${index}`);
    for (const name of [`fill${index}`, 'fill0']) reportError(platform, project.project.id, fullEvent(name));
    audit(fixture, ['User']);
  }
  const epic = createEpic(platform, group, root, { title: 'Talked about' });
  commentOn(platform, commentableEpic(platform, group, epic), root);
  const ofEpic = { epic_id: String(epic.id) };
  const id = String(project.project.id);
  const { fingerprint } = reportError(platform, project.project.id, fullEvent('fill0'));
  return {
    [ERRORS]: { id },
    [EVENTS]: { id, fingerprint: String(fingerprint) },
    '/api/v4/groups/:id/epics/:epic_id/notes': ofEpic,
    '/api/v4/groups/:id/epics/:epic_id/discussions': ofEpic,
    '/api/v4/projects/:id/approval_rules': { id },
    '/api/v4/projects/:id/repository_storage_moves': { id },
    '/api/v4/projects/:id/deploy_keys': { id },
    '/api/v4/projects/:id/deploy_tokens': { id },
    '/api/v4/projects/:id/job_token_scope/allowlist': { id },
    '/api/v4/projects/:id/variables': { id },
    '/api/v4/projects/:id/hooks': { id },
    '/api/v4/projects/:id/hooks/:hook_id/events': { id, hook_id: String(ownHook.id) },
    '/api/v4/groups/:id/hooks/:hook_id/events': { hook_id: String(groupHook.id) },
    '/api/v4/projects/:id/pipeline_schedules': { id },
    [SCHEDULED]: { id, pipeline_schedule_id: String(schedule.id) },
    '/api/v4/projects/:id/job_token_scope/groups_allowlist': { id },
    '/api/v4/projects/:id/protected_branches': { id },
    '/api/v4/projects/:id/protected_tags': { id },
    '/api/v4/projects/:id/jobs': { id },
    [PIPELINE_JOBS]: { pipeline_id: String(pipeline.id) },
    '/api/v4/virtual_registries/packages/maven/registries/:id/upstreams': { id: String(maven.id) },
    '/api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': { id: String(upstream.id) },
    [TAGS]: { repository_id: String(images.id) },
    [PACKAGE_PIPELINES]: { package_id: String(packed.id) },
    '/api/v4/projects/:id/packages/:package_id/package_files': { package_id: String(packed.id) },
  };
}
