import { Secret, TOTP } from 'otpauth';
import { type Place, writeAuditEvent } from '../../server/audit/audit.ts';
import { createClientKey } from '../../server/clientKeys/clientKeys.ts';
import { createBranch, createCommit, createTag } from '../../server/git/git.ts';
import { addIssueToEpic, createEpic, type Epic } from '../../server/epics/epics.ts';
import { notedEpic } from '../../server/epics/noted.ts';
import { setErrorTracking } from '../../server/errorTracking/errorTracking.ts';
import { changeErrorStatus } from '../../server/errorTracking/errorStates.ts';
import type { TrackedError } from '../../server/errorTracking/errors.ts';
import { mergeErrors } from '../../server/errorTracking/merging.ts';
import { addGroupMember, createGroup, type FoundGroup } from '../../server/groups/groups.ts';
import { setEnterpriseGroup } from '../../server/identity/enterprise.ts';
import { createUser, findUser, issuePersonalToken, type User } from '../../server/identity/identity.ts';
import { insertFollow } from '../../server/identity/follows.ts';
import { disableSecondFactor, enableSecondFactor, enrolment } from '../../server/identity/secondFactor.ts';
import { setStatus } from '../../server/identity/status.ts';
import { createLabel } from '../../server/labels/labels.ts';
import { createMilestone, findMilestone } from '../../server/milestones/milestones.ts';
import { addFile, createPackage, type Package } from '../../server/packages/packages.ts';
import { createJob, createPipeline, type Job, type Pipeline, startOf } from '../../server/pipelines/pipelines.ts';
import { commentOnIssue, createIssue, type Issue, notedIssue } from '../../server/issues/issues.ts';
import { createMergeRequest, findMergeRequest, type MergeRequest } from '../../server/mergeRequests/mergeRequests.ts';
import { notedMergeRequest } from '../../server/mergeRequests/noted.ts';
import { comment, type Note, type Noted } from '../../server/notes/notes.ts';
import { type ContainerRepository, createContainerRepository, writeContainerTag } from '../../server/registry/registry.ts';
import { insertStar } from '../../server/projects/stars.ts';
import { addMember, createProject, type FoundProject, removeMember, updateProject } from '../../server/projects/projects.ts';
import type { Route } from '../../server/http/route.ts';
import { createLink, createRelease, findRelease, type Release } from '../../server/releases/releases.ts';
import { notedSnippet } from '../../server/snippets/noted.ts';
import { createSnippet, type Snippet } from '../../server/snippets/snippets.ts';
import { createApplication } from '../../server/oauth/oauth.ts';
import { changeSubscription } from '../../server/subscriptions/subscriptions.ts';
import { hashSecret } from '../../server/secrets.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../../server/virtualRegistries/virtualRegistries.ts';
import { mintSignInLink } from '../../server/web/signInLinks.ts';
import { addressOf, codeClient, decideOn, OUT_OF_BAND, requestOf, returned } from '../oauth/codes.ts';
import { confidentialClient, deviceCodes, extension, publicClient, signedIn } from '../oauth/support.ts';
import { keepSourceMap } from '../errorTracking/keptSourceMaps.ts';
import { hearSession } from '../errorTracking/heardSessions.ts';
import { fullEvent, reportError } from '../errorTracking/reports.ts';
import { formsOf, PageClient } from './pages.ts';
import { cheapHash } from './passwords.ts';
import { TEST_ADMIN_TOKEN, type TestAnswer, type TestRequest, type TestServer } from './server.ts';

/** A request that must succeed on a row of the ledger. */
export interface Example {
  /** Values of the path's parameters, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  /** Query of GET and DELETE, JSON body otherwise. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly asForm?: boolean;
  /** Where it is not the row's own success status. */
  readonly status?: number;
}

export interface Fixture {
  readonly server: TestServer;
  readonly ada: User;
  readonly adaToken: string;
  readonly root: User;
  readonly project: FoundProject;
  readonly group: FoundGroup;
  readonly issue: Issue;
  readonly note: Note;
  /** Hash of PASSWORD. */
  readonly passwordHash: string;
  /** A name that was not used before. */
  fresh(prefix: string): string;
}

/** Sends an example; `changed` is a parameter that is sent with another value. */
export function sendExample(
  server: TestServer,
  row: Pick<Route, 'method' | 'path'>,
  example: Example,
  changed?: { readonly name: string; readonly value: unknown },
): Promise<TestAnswer> {
  const params: Record<string, unknown> = { ...example.params };
  const inPath: Record<string, string> = { ...example.path };
  if (changed !== undefined && changed.name in inPath) inPath[changed.name] = String(changed.value);
  else if (changed !== undefined) params[changed.name] = changed.value;
  const path = row.path
    .replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent((inPath[key] ?? '').toWellFormed()))
    .replaceAll(/\*(\w+)/g, (_, key: string) => encodeURI((inPath[key] ?? '').toWellFormed()));
  const request: TestRequest = {
    ...(example.token === undefined ? {} : { token: example.token }),
    ...(example.headers === undefined ? {} : { headers: example.headers }),
  };
  if (row.method === 'GET' || row.method === 'DELETE') {
    const query = queryText(params);
    return server.request(row.method, query === '' ? path : `${path}?${query}`, request);
  }
  return example.asForm === true
    ? server.request(row.method, path, { ...request, form: queryText(params) })
    : server.request(row.method, path, { ...request, json: params });
}

/** Parameters as a query or form: lists as `name[]`, lists of hashes as `name[0][key]`, hashes as `name[key]`. */
export function queryText(params: Readonly<Record<string, unknown>>): string {
  const pairs = new URLSearchParams();
  const append = (name: string, value: unknown): void => {
    if (value === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        append(typeof item === 'object' && item !== null ? `${name}[${index}]` : `${name}[]`, item);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) append(`${name}[${key}]`, item);
    } else {
      pairs.append(name, value === null ? '' : String(value));
    }
  };
  for (const [name, value] of Object.entries(params)) append(name, value);
  return pairs.toString();
}

const PASSWORD = 'a password of an example';

export function makeFixture(server: TestServer): Fixture {
  let count = 0;
  const { platform } = server;
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('there is no root');
  const ada = person(server, 'ada');
  const project = createProject(platform, root, { name: 'Lamps', visibility: 'public', topics: ['Signals'] });
  const group = createGroup(platform, root, { name: 'Signals', path: 'signals', visibility: 'public' });
  const issue = createIssue(platform, project, root, { title: 'Lamp 7 stays dark' });
  const note = commentOnIssue(platform, project, issue, root, { body: 'The fuse is blown.' });
  return {
    server,
    root,
    ada,
    adaToken: tokenOf(server, ada),
    project,
    group,
    issue,
    note,
    passwordHash: cheapHash(PASSWORD),
    fresh: (prefix) => `${prefix}${(count += 1)}`,
  };
}

function freshProject({ server, root, fresh }: Fixture): FoundProject {
  return createProject(server.platform, root, { name: fresh('project') });
}

function trackedProject(fixture: Fixture): FoundProject {
  const found = freshProject(fixture);
  setErrorTracking(fixture.server.platform, found.project.id, true);
  return found;
}

/** Something of every kind that is counted of what SDKs send. */
function noteArrivals({ server }: Fixture, id: number): void {
  const { arrivals, clock } = server.platform;
  const at = clock.now();
  arrivals.count(at, id, 'accepted', 'event');
  arrivals.count(at, id, 'repeated', 'event');
  arrivals.count(at, id, 'ignored', 'transaction');
  arrivals.count(at, id, 'dropped', 'the session has no release');
  arrivals.discarded(at, id, [{ reason: 'sample_rate', category: 'error', quantity: 3 }]);
  const offered = { key: `glet_${'0'.repeat(32)}`, from: 'header', client: 'sentry.python/2.68.0' } as const;
  arrivals.refused(id, { at, code: 'unknown_key', status: 404, reason: 'no such key', endpoint: 'envelope', offered });
}

/** What an SDK sends: as an envelope it has a header only. */
function sentError(fixture: Fixture): Example {
  const { project } = trackedProject(fixture);
  const { public_key: key } = createClientKey(fixture.server.platform, project.id);
  return {
    path: { project_id: String(project.id) },
    headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}` },
    params: {},
  };
}

/** A project with an error that has everything that one can have, and another one. */
function projectWithErrors(fixture: Fixture): { found: FoundProject; error: TrackedError; other: TrackedError } {
  const found = trackedProject(fixture);
  const { platform } = fixture.server;
  const error = reportError(platform, found.project.id, fullEvent('sail'));
  changeErrorStatus(platform, error, { status: 'ignored', until: { kind: 'occurrences', count: 5 } });
  return { found, error, other: reportError(platform, found.project.id, fullEvent('anchor')) };
}

function inError({ found, error }: ReturnType<typeof projectWithErrors>, params: Example['params'] = {}): Example {
  return { token: admin, path: inProject(found, { fingerprint: error.fingerprint }), params };
}

async function inErrorPage(fixture: Fixture): Promise<Example> {
  const { found, error } = projectWithErrors(fixture);
  return {
    path: { full_path: found.project.full_path, issue_id: String(error.fingerprint) },
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  };
}

/** A project in two groups. */
function deepProject(fixture: Fixture): FoundProject {
  const { server, root, fresh, group: parent } = fixture;
  const path = fresh('around');
  const { group } = createGroup(server.platform, root, { name: path, path, parent });
  return createProject(server.platform, root, { name: fresh('project'), namespaceId: group.id });
}

/** A project that root has starred. */
function starredProject(fixture: Fixture): FoundProject {
  const found = freshProject(fixture);
  insertStar(fixture.server.platform.store, found.project.id, fixture.root.id, 0);
  return found;
}

/** A project with a fork. */
function forkedProject(fixture: Fixture): FoundProject {
  const { server, root, fresh } = fixture;
  const found = freshProject(fixture);
  createProject(server.platform, root, { name: fresh('fork'), forkedFromId: found.project.id });
  return found;
}

function freshGroup({ server, root, fresh }: Fixture): FoundGroup {
  const path = fresh('group');
  return createGroup(server.platform, root, { name: path, path });
}

function groupWithAda(fixture: Fixture): FoundGroup {
  const group = freshGroup(fixture);
  addGroupMember(fixture.server.platform, group.group, fixture.ada, { level: 30 }, { user: fixture.root });
  return group;
}

/** A project with audit events of every form that projects have. */
function auditedProject(fixture: Fixture): FoundProject {
  const { server, root, ada } = fixture;
  const found = projectWithAda(fixture);
  updateProject(server.platform, found, { description: 'Watched' });
  removeMember(server.platform, found.project, ada.id, { user: root, standing: found.standing });
  return found;
}

const customAuditEvent = { event_name: 'lamp_replaced', custom_message: 'Replaced lamp 7', ip_address: '192.0.2.7' };

/** The number of a new audit event. */
function auditEventOf({ server, root }: Fixture, type: Place['type'], id: number): string {
  const entity = { type, id, name: 'a place', path: 'a/place' };
  const target = { type: 'Lamp', id: 7, details: 'Lamp 7' };
  const event = {
    name: 'lamp_replaced',
    message: 'Replaced lamp 7',
    entity,
    target,
    action: {},
    authorId: root.id,
    address: null,
  };
  return String(writeAuditEvent(server.platform, event));
}

/** A group with a group and a project in it. */
function groupWithBoth(fixture: Fixture): FoundGroup {
  const { server, root, fresh } = fixture;
  const parent = freshGroup(fixture);
  const path = fresh('below');
  createGroup(server.platform, root, { name: path, path, parent });
  createProject(server.platform, root, { name: fresh('project'), namespaceId: parent.group.id });
  return parent;
}

/** Path of a group's resource, with the parameters that follow. */
function inGroup({ group }: FoundGroup, more: Readonly<Record<string, number>> = {}): Readonly<Record<string, string>> {
  const rest = Object.entries(more).map(([name, value]) => [name, String(value)]);
  return { id: String(group.id), ...Object.fromEntries(rest) };
}

/** Path of a project's resource, with the parameters that follow. */
function inProject(project: FoundProject, more: Readonly<Record<string, number>> = {}): Readonly<Record<string, string>> {
  const rest = Object.entries(more).map(([name, value]) => [name, String(value)]);
  return { id: String(project.project.id), ...Object.fromEntries(rest) };
}

const repositories = new WeakMap<Fixture, Promise<FoundProject>>();

/** A project with files, a branch and a tag; one for all requests of a fixture, because it takes several programs. */
function codeProject(fixture: Fixture): Promise<FoundProject> {
  let made = repositories.get(fixture);
  if (made === undefined) {
    made = makeCodeProject(fixture);
    repositories.set(fixture, made);
  }
  return made;
}

async function makeCodeProject(fixture: Fixture): Promise<FoundProject> {
  const { server, root, fresh } = fixture;
  const found = createProject(server.platform, root, { name: fresh('code'), visibility: 'public' });
  await fillCode(fixture, found);
  return found;
}

async function fillCode({ server: { platform }, root }: Fixture, found: FoundProject): Promise<void> {
  const create = (path: string) => ({ action: 'create', path, content: Buffer.from(`about ${path}\n`) }) as const;
  const actions = [create('README.md'), create('lamps/red.txt')];
  await createCommit(platform, found, root, { branch: 'main', message: 'First', actions });
  await createBranch(platform, found, root, 'topic', 'main');
  await createCommit(platform, found, root, { branch: 'topic', message: 'Second', actions: [create('lamps/green.txt')] });
  await createTag(platform, found, root, { name: 'v1', ref: 'main', message: 'The first one' });
}

/** A request about a repository. */
async function inCode(fixture: Fixture, more: Example['path'] = {}, params: Example['params'] = {}): Promise<Example> {
  return { token: admin, path: { ...inProject(await codeProject(fixture)), ...more }, params };
}

const madeSnippets = new WeakMap<Fixture, Promise<{ readonly own: Snippet; readonly inProject: Snippet }>>();

/** A snippet of root and one of the project; one for all requests of a fixture, because they take several programs. */
function snippets(fixture: Fixture): Promise<{ readonly own: Snippet; readonly inProject: Snippet }> {
  let made = madeSnippets.get(fixture);
  if (made === undefined) {
    made = (async () => ({
      own: await makeSnippet(fixture),
      inProject: await makeSnippet(fixture, fixture.project.project.id),
    }))();
    madeSnippets.set(fixture, made);
  }
  return made;
}

function makeSnippet({ server, root }: Fixture, projectId?: number): Promise<Snippet> {
  const files = [{ path: 'lamp.txt', content: 'red\n' }];
  return createSnippet(server.platform, root, { projectId, title: 'Lamps', description: 'All', visibility: 'public', files });
}

const snippetWish = { title: 'Lamps', files: [{ file_path: 'lamp.txt', content: 'red' }] };

async function someSnippets(fixture: Fixture): Promise<Example> {
  await snippets(fixture);
  return { token: admin };
}

async function ofSnippet(fixture: Fixture): Promise<{ id: string }> {
  return { id: String((await snippets(fixture)).own.id) };
}

async function ofProjectSnippet(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  return inProject(fixture.project, { snippet_id: (await snippets(fixture)).inProject.id });
}

async function pageOfSnippet(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  return { full_path: fixture.project.project.full_path, id: String((await snippets(fixture)).inProject.id) };
}

/** The release of the tag `v1`, with one link. */
async function released(fixture: Fixture): Promise<Release> {
  const found = await codeProject(fixture);
  return findRelease(fixture.server.platform, found.project.id, 'v1') ?? releaseTag(fixture, 'v1');
}

async function releaseTag(fixture: Fixture, tag: string): Promise<Release> {
  return createRelease(fixture.server.platform, await codeProject(fixture), fixture.root, {
    tag,
    ref: 'main',
    description: 'The *first* one',
    links: [linkWish(fixture)],
    milestones: { titles: [await releaseMilestone(fixture)] },
  });
}

async function releaseMilestone(fixture: Fixture): Promise<string> {
  const { server, root, fresh } = fixture;
  const home = { kind: 'project', id: (await codeProject(fixture)).project.id } as const;
  return createMilestone(server.platform, home, root, { title: fresh('release milestone') }).title;
}

function linkWish({ fresh }: Fixture): { name: string; url: string } {
  const name = fresh('asset');
  return { name, url: `https://files.example/${name}` };
}

async function linkPath(fixture: Fixture): Promise<{ tag_name: string; link_id: string }> {
  const release = await released(fixture);
  return { tag_name: release.tag, link_id: String(createLink(fixture.server.platform, release, linkWish(fixture)).id) };
}

/** A page of a repository. */
async function codePage(fixture: Fixture, more: Example['path'] = {}): Promise<Example> {
  return { path: { full_path: (await codeProject(fixture)).project.full_path, ...more } };
}

/** A pipeline of a project whose repository is empty. */
function pipelineIn({ server, root }: Fixture, project: FoundProject): Pipeline {
  return createPipeline(server.platform, project, root, { ref: 'main', sha: SOME_COMMIT, status: 'running' });
}

/** A job of a pipeline of its own. */
function jobIn(fixture: Fixture, project: FoundProject, wish: Partial<Parameters<typeof createJob>[3]> = {}): Job {
  const { server, root } = fixture;
  return createJob(server.platform, pipelineIn(fixture, project), root, { name: 'lint', status: 'failed', ...wish });
}

/** A request about a pipeline, or about a job of it. */
function ofPipeline(fixture: Fixture, params: Example['params'] = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { pipeline_id: pipelineIn(fixture, project).id }), params };
}

function ofJob(fixture: Fixture, wish?: Parameters<typeof jobIn>[2], params: Example['params'] = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { job_id: jobIn(fixture, project, wish).id }), params };
}

/** A package in two versions, with a file and a pipeline, of a project that nothing else is in. */
function packageIn(fixture: Fixture, project: FoundProject): Package {
  const { server, fresh } = fixture;
  const wish = { name: fresh('package'), type: 'npm', tags: ['latest'] } as const;
  const pipelineIds = [pipelineIn(fixture, project).id];
  createPackage(server.platform, project, { ...wish, version: '1.0', pipelineIds });
  const made = createPackage(server.platform, project, { ...wish, version: '1.1', pipelineIds });
  const file = { name: 'a.tgz', size: 12, md5: 'a'.repeat(32), sha1: 'a'.repeat(40), sha256: 'a'.repeat(64) };
  addFile(server.platform, made, file);
  return made;
}

/** A request about a package. */
function ofPackage(fixture: Fixture, params: Example['params'] = {}, more: Readonly<Record<string, number>> = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { package_id: packageIn(fixture, project).id, ...more }), params };
}

/** A repository of the container registry with two tags. */
function imagesIn({ server: { platform }, fresh }: Fixture, project: FoundProject): ContainerRepository {
  const repository = createContainerRepository(platform, project, fresh('images'));
  for (const name of ['latest', '1.0']) writeContainerTag(platform, repository, { name, totalSize: 5 });
  return repository;
}

/** A request about the images of a repository. */
function ofImages(fixture: Fixture, params: Example['params'] = {}, more: Example['path'] = {}): Example {
  const { project } = fixture;
  const path = { ...inProject(project, { repository_id: imagesIn(fixture, project).id }), ...more };
  return { token: admin, path, params };
}

/** The admin token as the password of whoever. */
const BASIC = { Authorization: `Basic ${Buffer.from(`root:${TEST_ADMIN_TOKEN}`).toString('base64')}` };

/** Two Maven virtual registries of a group, with an upstream behind each, of which the first has a file. */
function mavenOf({ server: { platform }, fresh }: Fixture, group: FoundGroup) {
  const behind = () => {
    const registry = createRegistry(platform, group, { name: fresh('maven') });
    return { registry, ...createUpstream(platform, registry, { url: `https://maven.example/${fresh('path')}` }) };
  };
  const [one, other] = [behind(), behind()];
  const path = 'org/lamps/lamps-1.0.pom';
  addCacheEntry(platform, one.upstream, { path, sha1: 'a'.repeat(40), md5: 'b'.repeat(32), size: 7, etag: '"7"' });
  return { ...one, other, entry: Buffer.from(`${one.upstream.id} ${path}`).toString('base64') };
}

/** A request about one of these by its number. */
function ofMaven(fixture: Fixture, kind: 'registry' | 'upstream' | 'link', params: Example['params'] = {}): Example {
  return { token: admin, path: { id: String(mavenOf(fixture, fixture.group)[kind].id) }, params };
}

/** Id of a commit that no repository has. */
const SOME_COMMIT = 'c0ffee'.padEnd(40, '0');

/** Id of the blob of README.md in `codeProject`. */
const BLOB = '6c57322133a1f3f13770ee5f3bbb3f8471a2a093';

/** A form of a page as the browser would send it, with its cookie. */
async function formExample(client: PageClient, page: string, action: string, fields: Example['params'] = {}): Promise<Example> {
  const answer = await client.open(page);
  return sentForm(client, answer.text, action, fields);
}

function sentForm(client: PageClient, html: string, action: string, fields: Example['params'] = {}): Example {
  const form = formsOf(html).find((candidate) => candidate.action === action);
  if (form === undefined) throw new Error(`there is no form for ${action}`);
  const { '': _button, ...sent } = form.fields;
  return { asForm: true, headers: { Cookie: client.cookieHeader() }, params: { ...sent, ...fields } };
}

/** A browser in which root is signed in; codes that were mistyped before do not count against it. */
async function browser({ server, root }: Fixture): Promise<PageClient> {
  server.platform.store.run('DELETE FROM attempts');
  const client = new PageClient(server);
  await client.signIn(root.username);
  return client;
}

function personWithPassword({ server, fresh, passwordHash }: Fixture): User {
  const username = fresh('signer');
  const user = createUser(server.platform, {
    username,
    name: username,
    email: `${username}@example.com`,
    passwordHash,
  });
  if (typeof user === 'string') throw new Error(user);
  return user;
}

export function person(server: TestServer, username: string): User {
  const user = createUser(server.platform, { username, name: username, email: `${username}@example.com` });
  if (typeof user === 'string') throw new Error(`${username}: ${user}`);
  return user;
}

function tokenIdOf(server: TestServer, user: User): string {
  return String(issuePersonalToken(server.platform, user, { name: 'example', scopes: ['api'], expiresAt: null }).row.id);
}

function tokenOf(server: TestServer, user: User): string {
  return issuePersonalToken(server.platform, user, { name: 'example', scopes: ['api'], expiresAt: null }).token;
}

/** Path of a merge request. */
const REQUEST = '/api/v4/projects/:id/merge_requests/:merge_request_iid';

const SNIPPET = '/api/v4/projects/:id/snippets/:snippet_id';
const EPIC = '/api/v4/groups/:id/epics/:epic_id';

export type Make = (fixture: Fixture) => Example | Promise<Example>;
const admin = TEST_ADMIN_TOKEN;

/** One example per row of the ledger, by `METHOD path`. A row that changes what it needs gets something new each time. */
export const examples: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(
    ['/api/v4/error_tracking/collector', '/errortracking/api/v1/projects', ''].flatMap((prefix) =>
      ['envelope', 'store'].map((form) => [`POST ${prefix}/api/:project_id/${form}`, sentError]),
    ),
  ),
  'POST /stream': async (fixture) => {
    const json = { error_tracking_stream_project_id: trackedProject(fixture).project.id };
    await fixture.server.request('PUT', '/api/v4/application/settings', { token: admin, json });
    return { params: {} };
  },
  'GET /_local/health': () => ({}),
  'GET /_local/clock': () => ({ token: admin }),
  'POST /_local/clock': () => ({ token: admin, params: { advance_seconds: 1 } }),
  'GET /_local/requests': () => ({ token: admin, params: { limit: 5 } }),
  'GET /_local/oauth/flows': async (fixture) => {
    await flowId(fixture);
    return { token: admin };
  },
  'GET /_local/oauth/flows/:id': async (fixture) => ({ token: admin, path: { id: await flowId(fixture) } }),
  'GET /_local/oauth': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /_local/oauth/:id': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { id: await flowId(fixture) },
  }),
  'GET /_local/stream': () => ({ token: admin, headers: { Accept: 'text/event-stream' } }),
  'POST /_local/sign-in-links': () => ({ token: admin, params: { username: 'root', return_to: '/' } }),
  'GET /_local/snapshots': async ({ server, fresh }) => {
    await server.platform.snapshots?.take(fresh('kept'));
    return { token: admin };
  },
  'POST /_local/snapshots': ({ fresh }) => ({ token: admin, params: { name: fresh('snapshot') } }),
  'POST /_local/seeds': ({ fresh }) => ({
    token: admin,
    params: { name: 'seed.yaml', text: `users: [{username: ${fresh('planted')}}]` },
  }),
  'POST /_local/shutdown': () => ({ token: admin }),

  'GET /api/v4/version': () => ({ token: admin }),
  'GET /api/v4/metadata': () => ({ token: admin }),
  'GET /api/v4/user': () => ({ token: admin }),
  'GET /api/v4/users': () => ({ token: admin, params: { search: 'a', order_by: 'name', sort: 'asc' } }),
  'GET /api/v4/users/:id': () => ({ token: admin, path: { id: '1' } }),
  'POST /api/v4/users': ({ fresh }) => {
    const username = fresh('person');
    return { token: admin, params: { email: `${username}@example.com`, name: username, username, force_random_password: true } };
  },
  'PUT /api/v4/users/:id': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('changed')).id) },
    params: { private_profile: true },
  }),
  'POST /api/v4/users/:id/block': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('blocked')).id) },
  }),
  'POST /api/v4/users/:id/unblock': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'POST /api/v4/users/:id/ban': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('banned')).id) },
  }),
  'POST /api/v4/users/:id/unban': ({ server, fresh }) => {
    const { id } = person(server, fresh('banned'));
    server.platform.store.run("UPDATE users SET state = 'banned' WHERE id = $id", { id });
    return { token: admin, path: { id: String(id) } };
  },
  'POST /api/v4/users/:id/deactivate': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('dormant')).id) },
  }),
  'POST /api/v4/users/:id/activate': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'POST /api/v4/users/:id/unlock': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'PATCH /api/v4/users/:id/disable_two_factor': async (fixture) => {
    await switchSecondFactorOn(fixture, fixture.ada);
    return { token: admin, path: { id: String(fixture.ada.id) } };
  },
  'POST /api/v4/users/:id/follow': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('followed')).id) },
  }),
  'POST /api/v4/users/:id/unfollow': ({ server, root, fresh }) => {
    const { id } = person(server, fresh('followed'));
    insertFollow(server.platform.store, root.id, id);
    return { token: admin, path: { id: String(id) } };
  },
  'GET /api/v4/users/:id/followers': ({ server, root, ada }) => {
    insertFollow(server.platform.store, ada.id, root.id);
    return { token: admin, path: { id: String(root.id) } };
  },
  'GET /api/v4/users/:id/following': ({ server, root, ada }) => {
    insertFollow(server.platform.store, root.id, ada.id);
    return { token: admin, path: { id: String(root.id) } };
  },
  'GET /api/v4/users/:user_id/memberships': () => ({ token: admin, path: { user_id: '1' } }),
  'GET /api/v4/users/:user_id/status': () => ({ token: admin, path: { user_id: 'root' } }),
  'GET /api/v4/user/status': ({ server, ada, adaToken }) => {
    setStatus(server.platform, ada.id, { message: 'Repairs lamps', clearAfter: '1_day' });
    return { token: adaToken };
  },
  'PUT /api/v4/user/status': ({ adaToken }) => ({
    token: adaToken,
    params: { emoji: 'bulb', message: 'Repairs lamps', availability: 'busy', clear_status_after: '3_hours' },
  }),
  'PATCH /api/v4/user/status': ({ adaToken }) => ({ token: adaToken, params: { message: 'Repairs more lamps' } }),
  'GET /api/v4/personal_access_tokens': () => ({ token: admin, params: { state: 'active', sort: 'name_asc' } }),
  'GET /api/v4/personal_access_tokens/:id': ({ server, ada }) => ({ token: admin, path: { id: tokenIdOf(server, ada) } }),
  'DELETE /api/v4/personal_access_tokens/:id': ({ server, ada }) => ({
    token: tokenOf(server, ada),
    path: { id: tokenIdOf(server, ada) },
  }),
  'POST /api/v4/personal_access_tokens/:id/rotate': ({ server, ada }) => ({
    token: tokenOf(server, ada),
    path: { id: tokenIdOf(server, ada) },
  }),
  'POST /api/v4/personal_access_tokens/self/rotate': ({ server, ada }) => ({ token: tokenOf(server, ada) }),
  'POST /api/v4/user/personal_access_tokens': ({ adaToken }) => ({
    token: adaToken,
    params: { name: 'cluster', scopes: ['k8s_proxy'] },
  }),
  'GET /api/v4/personal_access_tokens/self': ({ adaToken }) => ({ token: adaToken }),
  'DELETE /api/v4/personal_access_tokens/self': ({ server, ada }) => ({ token: tokenOf(server, ada) }),
  'GET /api/v4/personal_access_tokens/self/associations': ({ adaToken }) => ({
    token: adaToken,
    params: { min_access_level: '20' },
  }),
  'POST /api/v4/users/:id/personal_access_tokens': ({ ada }) => ({
    token: admin,
    path: { id: String(ada.id) },
    params: { name: 'robot', scopes: ['read_user'] },
  }),

  'GET /api/v4/applications': () => ({ token: admin }),
  'POST /api/v4/applications': ({ fresh }) => ({
    token: admin,
    params: { name: fresh('app'), redirect_uri: 'https://lamps.example/callback', scopes: 'api read_user' },
  }),
  'DELETE /api/v4/applications/:id': ({ server, fresh }) => ({
    token: admin,
    path: { id: confidentialIdFor(server, fresh('app')) },
  }),
  'POST /api/v4/applications/:id/renew-secret': ({ server, fresh }) => ({
    token: admin,
    path: { id: confidentialIdFor(server, fresh('app')) },
  }),

  'GET /api/v4/application/settings': () => ({ token: admin }),
  'PUT /api/v4/application/settings': ({ server: { platform } }) => {
    // A limit that an earlier request has set would refuse this one.
    platform.store.run("DELETE FROM instance_settings WHERE name LIKE 'throttle%'");
    platform.changes.publish({ kind: 'settingsChanged', attributes: [] });
    return { token: admin, params: { ropc_without_client_credentials: false } };
  },

  'GET /api/v4/projects': () => ({ token: admin, params: { search: 'lamp', order_by: 'name', sort: 'asc' } }),
  'GET /api/v4/users/:user_id/projects': () => ({ token: admin, path: { user_id: 'root' } }),
  'POST /api/v4/projects': ({ fresh }) => ({ token: admin, params: { name: fresh('new') } }),
  'GET /api/v4/projects/:id': () => ({ token: admin, path: { id: 'root/lamps' } }),
  'PUT /api/v4/projects/:id': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { description: 'Signal lamps' },
  }),
  'DELETE /api/v4/projects/:id': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/archive': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/unarchive': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'PUT /api/v4/projects/:id/transfer': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { namespace: fixture.group.group.full_path },
  }),
  'GET /api/v4/projects/:id/transfer_locations': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/users': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/groups': (fixture) => ({ token: admin, path: inProject(deepProject(fixture)) }),
  'POST /api/v4/projects/:id/star': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/unstar': (fixture) => ({ token: admin, path: inProject(starredProject(fixture)) }),
  'GET /api/v4/projects/:id/starrers': (fixture) => ({ token: admin, path: inProject(starredProject(fixture)) }),
  'GET /api/v4/users/:user_id/starred_projects': (fixture) => {
    starredProject(fixture);
    return { token: admin, path: { user_id: 'root' } };
  },
  'POST /api/v4/projects/:id/fork': async (fixture) => ({
    token: admin,
    path: inProject(await codeProject(fixture)),
    params: { name: fixture.fresh('fork'), path: fixture.fresh('fork'), namespace_path: 'signals', branches: 'topic' },
  }),
  'GET /api/v4/projects/:id/forks': (fixture) => ({ token: admin, path: inProject(forkedProject(fixture)) }),
  'POST /api/v4/projects/:id/fork/:forked_from_id': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture), { forked_from_id: fixture.project.project.id }),
  }),
  'DELETE /api/v4/projects/:id/fork': (fixture) => {
    const { server, root, fresh, project } = fixture;
    const fork = createProject(server.platform, root, { name: fresh('fork'), forkedFromId: project.project.id });
    return { token: admin, path: inProject(fork) };
  },
  'GET /api/v4/projects/:id/members': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/members/all': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/members/:user_id': ({ project }) => ({ token: admin, path: inProject(project, { user_id: 1 }) }),
  'GET /api/v4/projects/:id/members/all/:user_id': ({ project }) => ({ token: admin, path: inProject(project, { user_id: 1 }) }),
  'POST /api/v4/projects/:id/members': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { user_id: fixture.ada.id, access_level: 30 },
  }),
  'PUT /api/v4/projects/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inProject(projectWithAda(fixture), { user_id: fixture.ada.id }),
    params: { access_level: 40 },
  }),
  'DELETE /api/v4/projects/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inProject(projectWithAda(fixture), { user_id: fixture.ada.id }),
  }),

  'GET /api/v4/projects/:id/pipelines': (fixture) => {
    pipelineIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { ref: 'main', order_by: 'updated_at' } };
  },
  'POST /api/v4/projects/:id/pipeline': (fixture) => inCode(fixture, {}, { ref: 'main' }),
  'POST /api/v4/projects/:id/pipelines': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { ref: 'main', sha: SOME_COMMIT, status: 'running' },
  }),
  'GET /api/v4/projects/:id/pipelines/latest': (fixture) => {
    pipelineIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { ref: 'main' } };
  },
  'GET /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => {
    const { pipeline_id: id } = jobIn(fixture, fixture.project, { status: 'success', coverage: 91.5 });
    return { token: admin, path: inProject(fixture.project, { pipeline_id: id }) };
  },
  'PUT /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => ofPipeline(fixture, { status: 'failed', name: 'Nightly' }),
  'PUT /api/v4/projects/:id/pipelines/:pipeline_id/metadata': (fixture) => ofPipeline(fixture, { name: 'Nightly' }),
  'DELETE /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => ofPipeline(fixture),
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/cancel': (fixture) => ofPipeline(fixture),
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/retry': (fixture) => ofPipeline(fixture),
  'GET /api/v4/projects/:id/jobs': async (fixture) => {
    const project = await codeProject(fixture);
    const { server, root } = fixture;
    const start = await startOf(server.platform, project, 'main');
    const pipeline = createPipeline(server.platform, project, root, start);
    createJob(server.platform, pipeline, root, { name: 'test', status: 'failed', coverage: 91.5, tags: ['linux'] });
    createJob(server.platform, pipeline, root, { name: 'lint', status: 'running' });
    return { token: admin, path: inProject(project), params: { scope: ['failed', 'running'] } };
  },
  'GET /api/v4/projects/:id/jobs/:job_id': (fixture) => ofJob(fixture),
  'PUT /api/v4/projects/:id/jobs/:job_id': (fixture) => ofJob(fixture, { status: 'running' }, { status: 'failed' }),
  'POST /api/v4/projects/:id/jobs/:job_id/cancel': (fixture) => ofJob(fixture, { status: 'running' }),
  'POST /api/v4/projects/:id/jobs/:job_id/retry': (fixture) => {
    const { project } = fixture;
    return { token: admin, path: inProject(project, { job_id: jobIn(fixture, project).id }) };
  },
  'POST /api/v4/projects/:id/jobs/:job_id/play': (fixture) => ofJob(fixture, { status: 'manual' }),
  'GET /api/v4/projects/:id/pipelines/:pipeline_id/jobs': (fixture) => {
    const { pipeline_id: id } = jobIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project, { pipeline_id: id }), params: { include_retried: true } };
  },
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/jobs': (fixture) =>
    ofPipeline(fixture, { name: 'test', status: 'failed', failure_reason: 'script_failure', coverage: '12.5' }),

  'GET /api/v4/projects/:id/packages': (fixture) => {
    packageIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { package_type: 'npm', order_by: 'name' } };
  },
  'GET /api/v4/groups/:id/packages': (fixture) => {
    const { server, root, group, fresh } = fixture;
    const project = createProject(server.platform, root, { name: fresh('packed'), namespaceId: group.group.id });
    packageIn(fixture, project);
    return { token: admin, path: inGroup(group), params: { order_by: 'project_path' } };
  },
  'POST /api/v4/projects/:id/packages': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('package'), version: '1.0', package_type: 'npm', tags: ['latest'] },
  }),
  'GET /api/v4/projects/:id/packages/:package_id': (fixture) => ofPackage(fixture),
  'DELETE /api/v4/projects/:id/packages/:package_id': (fixture) => ofPackage(fixture),
  'GET /api/v4/projects/:id/packages/:package_id/pipelines': (fixture) => ofPackage(fixture),
  'GET /api/v4/projects/:id/packages/:package_id/package_files': (fixture) => ofPackage(fixture, { sort: 'desc' }),
  'POST /api/v4/projects/:id/packages/:package_id/package_files': (fixture) =>
    ofPackage(fixture, { file_name: 'b.tgz', size: 7, file_sha256: 'b'.repeat(64) }),
  'DELETE /api/v4/projects/:id/packages/:package_id/package_files/:package_file_id': (fixture) => {
    const { server, project } = fixture;
    const made = packageIn(fixture, project);
    const file = addFile(server.platform, made, { name: 'c.tgz', size: 1 });
    return { token: admin, path: inProject(project, { package_id: made.id, package_file_id: file.id }) };
  },

  'GET /api/v4/projects/:id/registry/repositories': (fixture) => {
    imagesIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { tags: true, tags_count: true } };
  },
  'GET /api/v4/groups/:id/registry/repositories': (fixture) => {
    const { server, root, group, fresh } = fixture;
    imagesIn(fixture, createProject(server.platform, root, { name: fresh('boxed'), namespaceId: group.group.id }));
    return { token: admin, path: inGroup(group) };
  },
  'GET /api/v4/registry/repositories/:id': (fixture) => ({
    token: admin,
    path: { id: String(imagesIn(fixture, fixture.project).id) },
    params: { tags: true, tags_count: true, size: true },
  }),
  'POST /api/v4/projects/:id/registry/repositories': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('images') },
  }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id': (fixture) => ofImages(fixture),
  'GET /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    ofImages(fixture, { pagination: 'keyset', order_by: 'name', sort: 'desc' }),
  'POST /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    ofImages(fixture, { name: '2.0', digest: `sha256:${'d'.repeat(64)}`, total_size: 12 }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    ofImages(fixture, { name_regex_delete: '.*', keep_n: 1, older_than: '1h' }),
  'GET /api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name': (fixture) =>
    ofImages(fixture, {}, { tag_name: 'latest' }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name': (fixture) =>
    ofImages(fixture, {}, { tag_name: '1.0' }),

  'GET /api/v4/groups/:id/-/virtual_registries/packages/maven/registries': (fixture) => {
    mavenOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'POST /api/v4/groups/:id/-/virtual_registries/packages/maven/registries': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { name: fresh('maven'), description: 'Of the signals' },
  }),
  'GET /api/v4/groups/:id/-/virtual_registries/packages/maven/upstreams': (fixture) => {
    mavenOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'GET /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) => ofMaven(fixture, 'registry'),
  'PATCH /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) =>
    ofMaven(fixture, 'registry', { name: fixture.fresh('maven') }),
  'DELETE /api/v4/virtual_registries/packages/maven/registries/:id': (fixture) => ofMaven(fixture, 'registry'),
  'DELETE /api/v4/virtual_registries/packages/maven/registries/:id/cache': (fixture) => ofMaven(fixture, 'registry'),
  'GET /api/v4/virtual_registries/packages/maven/registries/:id/upstreams': (fixture) => ofMaven(fixture, 'registry'),
  'POST /api/v4/virtual_registries/packages/maven/registries/:id/upstreams': (fixture) =>
    ofMaven(fixture, 'registry', {
      url: `https://maven.example/${fixture.fresh('path')}`,
      name: 'Example',
      username: 'lamplighter',
      password: 'a password of an upstream',
    }),
  'GET /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) => ofMaven(fixture, 'upstream'),
  'PATCH /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) =>
    ofMaven(fixture, 'upstream', { cache_validity_hours: 48 }),
  'DELETE /api/v4/virtual_registries/packages/maven/upstreams/:id': (fixture) => ofMaven(fixture, 'upstream'),
  'DELETE /api/v4/virtual_registries/packages/maven/upstreams/:id/cache': (fixture) => ofMaven(fixture, 'upstream'),
  'POST /api/v4/virtual_registries/packages/maven/registry_upstreams': (fixture) => {
    const { registry, other } = mavenOf(fixture, fixture.group);
    return { token: admin, params: { registry_id: registry.id, upstream_id: other.upstream.id } };
  },
  'PATCH /api/v4/virtual_registries/packages/maven/registry_upstreams/:id': (fixture) =>
    ofMaven(fixture, 'link', { position: 1 }),
  'DELETE /api/v4/virtual_registries/packages/maven/registry_upstreams/:id': (fixture) => ofMaven(fixture, 'link'),
  'GET /api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': (fixture) =>
    ofMaven(fixture, 'upstream', { search: 'lamps' }),
  'POST /api/v4/virtual_registries/packages/maven/upstreams/:id/cache_entries': (fixture) =>
    ofMaven(fixture, 'upstream', { relative_path: 'org/lamps/lamps-1.0.jar', file_sha1: 'c'.repeat(40), size: 12 }),
  'DELETE /api/v4/virtual_registries/packages/maven/cache_entries/:id': (fixture) => ({
    token: admin,
    path: { id: mavenOf(fixture, fixture.group).entry },
  }),
  'GET /v2': async ({ server }) => {
    const answer = await server.request('GET', '/jwt/auth?service=container_registry', { headers: BASIC });
    return { token: String(Object(answer.json()).token) };
  },
  'GET /jwt/auth': () => ({ headers: BASIC, params: { service: 'container_registry' } }),

  'POST /api/graphql': () => ({
    token: admin,
    params: {
      query: 'query Everything($path: ID!) { currentUser { username } project(fullPath: $path) { name } }',
      variables: { path: 'nobody/nothing' },
      operationName: 'Everything',
    },
  }),
  'GET /api/v4/groups': () => ({ token: admin, params: { search: 'signal', order_by: 'path', sort: 'desc' } }),
  'POST /api/v4/groups': ({ fresh }) => {
    const path = fresh('new');
    return { token: admin, params: { name: path, path } };
  },
  'GET /api/v4/groups/:id': () => ({ token: admin, path: { id: 'signals' } }),
  'PUT /api/v4/groups/:id': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { description: 'Signals and lamps' },
  }),
  'DELETE /api/v4/groups/:id': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)) }),
  'GET /api/v4/groups/:id/subgroups': (fixture) => ({ token: admin, path: inGroup(groupWithBoth(fixture)) }),
  'GET /api/v4/groups/:id/descendant_groups': (fixture) => ({ token: admin, path: inGroup(groupWithBoth(fixture)) }),
  'GET /api/v4/groups/:id/projects': (fixture) => ({
    token: admin,
    path: inGroup(groupWithBoth(fixture)),
    params: { include_subgroups: true },
  }),
  'POST /api/v4/groups/:id/transfer': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { group_id: fixture.group.group.id },
  }),
  'GET /api/v4/groups/:id/transfer_locations': (fixture) => {
    freshGroup(fixture);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'POST /api/v4/groups/:id/projects/:project_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { project_id: freshProject(fixture).project.id }),
  }),
  'GET /api/v4/groups/:id/members': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/groups/:id/members/all': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/groups/:id/members/:user_id': ({ group }) => ({ token: admin, path: inGroup(group, { user_id: 1 }) }),
  'GET /api/v4/groups/:id/members/all/:user_id': ({ group }) => ({ token: admin, path: inGroup(group, { user_id: 1 }) }),
  'POST /api/v4/groups/:id/members': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { user_id: fixture.ada.id, access_level: 30 },
  }),
  'PUT /api/v4/groups/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inGroup(groupWithAda(fixture), { user_id: fixture.ada.id }),
    params: { access_level: 40 },
  }),
  'DELETE /api/v4/groups/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inGroup(groupWithAda(fixture), { user_id: fixture.ada.id }),
  }),
  'GET /api/v4/groups/:id/enterprise_users': ({ server, group, ada }) => {
    setEnterpriseGroup(server.platform, ada, group.group.id);
    return { token: admin, path: inGroup(group), params: { active: true } };
  },
  'GET /api/v4/groups/:id/enterprise_users/:user_id': ({ server, group, ada }) => {
    setEnterpriseGroup(server.platform, ada, group.group.id);
    return { token: admin, path: inGroup(group, { user_id: ada.id }) };
  },
  'GET /api/v4/namespaces': () => ({ token: admin, params: { search: 'signal' } }),
  'GET /api/v4/namespaces/:id': () => ({ token: admin, path: { id: 'signals' } }),

  'GET /api/v4/projects/:id/repository/tree': (fixture) => inCode(fixture, {}, { ref: 'topic', path: 'lamps', recursive: true }),
  'GET /api/v4/projects/:id/repository/blobs/:sha': (fixture) => inCode(fixture, { sha: BLOB }),
  'GET /api/v4/projects/:id/repository/blobs/:sha/raw': (fixture) => inCode(fixture, { sha: BLOB }),
  'GET /api/v4/projects/:id/repository/compare': (fixture) => inCode(fixture, {}, { from: 'main', to: 'topic' }),
  'GET /api/v4/projects/:id/repository/merge_base': (fixture) => inCode(fixture, {}, { refs: ['main', 'topic'] }),
  'GET /api/v4/projects/:id/repository/commits': (fixture) => inCode(fixture, {}, { ref_name: 'topic', with_stats: true }),
  'POST /api/v4/projects/:id/repository/commits': (fixture) => {
    const content = 'A new lamp\n';
    const actions = [{ action: 'create', file_path: `new/${fixture.fresh('lamp')}.txt`, content }];
    return inCode(fixture, {}, { branch: 'main', commit_message: 'Another lamp', actions });
  },
  'GET /api/v4/projects/:id/repository/commits/:sha': (fixture) => inCode(fixture, { sha: 'topic' }),
  'GET /api/v4/projects/:id/repository/commits/:sha/diff': (fixture) => inCode(fixture, { sha: 'topic' }),
  'GET /api/v4/projects/:id/repository/commits/:sha/refs': (fixture) => inCode(fixture, { sha: 'main' }, { type: 'all' }),
  'DELETE /api/v4/projects/:id/repository/merged_branches': (fixture) => inCode(fixture),
  'GET /api/v4/projects/:id/repository/branches': (fixture) => inCode(fixture, {}, { search: '^t', sort: 'updated_desc' }),
  'GET /api/v4/projects/:id/repository/branches/:branch': (fixture) => inCode(fixture, { branch: 'topic' }),
  'POST /api/v4/projects/:id/repository/branches': (fixture) =>
    inCode(fixture, {}, { branch: fixture.fresh('branch'), ref: 'main' }),
  'DELETE /api/v4/projects/:id/repository/branches/:branch': async (fixture) => {
    const branch = fixture.fresh('old');
    await createBranch(fixture.server.platform, await codeProject(fixture), fixture.root, branch, 'main');
    return inCode(fixture, { branch });
  },
  'GET /api/v4/snippets': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/public': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/all': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/:id': async (fixture) => ({ token: admin, path: await ofSnippet(fixture) }),
  'GET /api/v4/snippets/:id/raw': async (fixture) => ({ token: admin, path: await ofSnippet(fixture) }),
  'GET /api/v4/snippets/:id/files/:ref/:file_path/raw': async (fixture) => ({
    token: admin,
    path: { ...(await ofSnippet(fixture)), ref: 'main', file_path: 'lamp.txt' },
  }),
  'POST /api/v4/snippets': () => ({ token: admin, params: snippetWish }),
  'PUT /api/v4/snippets/:id': async (fixture) => ({
    token: admin,
    path: await ofSnippet(fixture),
    params: { title: 'Another', description: 'New' },
  }),
  'DELETE /api/v4/snippets/:id': async (fixture) => ({
    token: admin,
    path: { id: String((await makeSnippet(fixture)).id) },
  }),
  'GET /api/v4/projects/:id/snippets': async (fixture) => {
    await snippets(fixture);
    return { token: admin, path: inProject(fixture.project) };
  },
  'GET /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({ token: admin, path: await ofProjectSnippet(fixture) }),
  'GET /api/v4/projects/:id/snippets/:snippet_id/raw': async (fixture) => ({
    token: admin,
    path: await ofProjectSnippet(fixture),
  }),
  'GET /api/v4/projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw': async (fixture) => ({
    token: admin,
    path: { ...(await ofProjectSnippet(fixture)), ref: 'HEAD', file_path: 'lamp.txt' },
  }),
  'POST /api/v4/projects/:id/snippets': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { ...snippetWish, visibility: 'public' },
  }),
  'PUT /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({
    token: admin,
    path: await ofProjectSnippet(fixture),
    params: { visibility: 'public' },
  }),
  'DELETE /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { snippet_id: (await makeSnippet(fixture, fixture.project.project.id)).id }),
  }),
  'GET /api/v4/projects/:id/releases': async (fixture) => {
    await released(fixture);
    return inCode(fixture, {}, { order_by: 'created_at', include_html_description: true });
  },
  'GET /api/v4/projects/:id/releases/:tag_name': async (fixture) => inCode(fixture, { tag_name: (await released(fixture)).tag }),
  'GET /api/v4/projects/:id/releases/permalink/latest': async (fixture) => {
    await released(fixture);
    return inCode(fixture);
  },
  'POST /api/v4/projects/:id/releases': async (fixture) =>
    inCode(
      fixture,
      {},
      {
        tag_name: fixture.fresh('new/'),
        ref: 'main',
        assets: { links: [linkWish(fixture)] },
        milestones: [await releaseMilestone(fixture)],
      },
    ),
  'PUT /api/v4/projects/:id/releases/:tag_name': async (fixture) =>
    inCode(fixture, { tag_name: (await released(fixture)).tag }, { name: 'Another' }),
  'DELETE /api/v4/projects/:id/releases/:tag_name': async (fixture) =>
    inCode(fixture, { tag_name: (await releaseTag(fixture, fixture.fresh('gone/'))).tag }),
  'GET /api/v4/projects/:id/releases/:tag_name/assets/links': async (fixture) =>
    inCode(fixture, { tag_name: (await released(fixture)).tag }),
  'GET /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    inCode(fixture, await linkPath(fixture)),
  'POST /api/v4/projects/:id/releases/:tag_name/assets/links': async (fixture) =>
    inCode(fixture, { tag_name: (await released(fixture)).tag }, { ...linkWish(fixture), link_type: 'package' }),
  'PUT /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    inCode(fixture, await linkPath(fixture), linkWish(fixture)),
  'DELETE /api/v4/projects/:id/releases/:tag_name/assets/links/:link_id': async (fixture) =>
    inCode(fixture, await linkPath(fixture)),
  'GET /api/v4/projects/:id/repository/tags': (fixture) => inCode(fixture, {}, { order_by: 'name', search: 'v' }),
  'GET /api/v4/projects/:id/repository/tags/:tag_name': (fixture) => inCode(fixture, { tag_name: 'v1' }),
  'POST /api/v4/projects/:id/repository/tags': (fixture) =>
    inCode(fixture, {}, { tag_name: fixture.fresh('tag'), ref: 'main', message: 'Another one' }),
  'DELETE /api/v4/projects/:id/repository/tags/:tag_name': async (fixture) => {
    const name = fixture.fresh('old');
    await createTag(fixture.server.platform, await codeProject(fixture), fixture.root, { name, ref: 'main' });
    return inCode(fixture, { tag_name: name });
  },
  'GET /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    inCode(fixture, { file_path: 'lamps/red.txt' }, { ref: 'main' }),
  'GET /api/v4/projects/:id/repository/files/:file_path/raw': (fixture) => inCode(fixture, { file_path: 'lamps/red.txt' }),
  'POST /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    inCode(
      fixture,
      { file_path: `files/${fixture.fresh('lamp')}.txt` },
      { branch: 'main', commit_message: 'Another lamp', content: 'A new lamp' },
    ),
  'PUT /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    inCode(
      fixture,
      { file_path: 'lamps/red.txt' },
      { branch: 'main', commit_message: 'A better lamp', content: fixture.fresh('Red lamp ') },
    ),
  'DELETE /api/v4/projects/:id/repository/files/:file_path': async (fixture) => {
    const path = `files/${fixture.fresh('old')}.txt`;
    const found = await codeProject(fixture);
    const wish = { branch: 'main', message: 'A lamp that goes', actions: [{ action: 'create', path }] } as const;
    await createCommit(fixture.server.platform, found, fixture.root, wish);
    return inCode(fixture, { file_path: path }, { branch: 'main', commit_message: 'It is gone' });
  },

  'GET /api/v4/projects/:id/error_tracking/settings': (fixture) => ({ token: admin, path: inProject(trackedProject(fixture)) }),
  'PUT /api/v4/projects/:id/error_tracking/settings': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { active: true, integrated: true },
  }),
  'PATCH /api/v4/projects/:id/error_tracking/settings': (fixture) => ({
    token: admin,
    path: inProject(trackedProject(fixture)),
    params: { active: false, integrated: true },
  }),
  'GET /api/v4/projects/:id/error_tracking/scrubbing': (fixture) => ({ token: admin, path: inProject(trackedProject(fixture)) }),
  'PUT /api/v4/projects/:id/error_tracking/scrubbing': (fixture) => ({
    token: admin,
    path: inProject(trackedProject(fixture)),
    params: { enabled: false },
  }),
  'GET /api/v4/projects/:id/error_tracking/arrivals': (fixture) => {
    const found = trackedProject(fixture);
    noteArrivals(fixture, found.project.id);
    return { token: admin, path: inProject(found) };
  },
  'GET /api/v4/projects/:id/error_tracking/releases': (fixture) => {
    hearSession(fixture.server.platform, fixture.project.project.id, fixture.fresh('shop@1.'));
    return { token: admin, path: inProject(fixture.project) };
  },
  'GET /api/v4/projects/:id/error_tracking/client_keys': (fixture) => {
    createClientKey(fixture.server.platform, fixture.project.project.id);
    return { token: admin, path: inProject(fixture.project) };
  },
  'POST /api/v4/projects/:id/error_tracking/client_keys': ({ project }) => ({ token: admin, path: inProject(project) }),
  'DELETE /api/v4/projects/:id/error_tracking/client_keys/:key_id': ({ server, project }) => {
    const key = createClientKey(server.platform, project.project.id);
    return { token: admin, path: inProject(project, { key_id: key.id }) };
  },
  'GET /api/v4/projects/:id/error_tracking/source_maps': (fixture) => {
    keepSourceMap(fixture.server.platform, fixture.project.project.id, fixture.fresh('app'));
    return { token: admin, path: inProject(fixture.project) };
  },
  'POST /api/v4/projects/:id/error_tracking/source_maps': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: {
      file: '{"version":3,"file":"app.js","sources":["app.ts"],"names":[],"mappings":"AAAA"}',
      name: `~/static/${fresh('app')}.js`,
      release: 'shop@1.0',
      dist: '7',
      debug_id: '7f3a0c1e-1111-4222-8333-944445555666',
    },
  }),
  'DELETE /api/v4/projects/:id/error_tracking/source_maps/:source_map_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, {
      source_map_id: keepSourceMap(fixture.server.platform, fixture.project.project.id, fixture.fresh('app')),
    }),
  }),
  'GET /api/v4/projects/:id/error_tracking/errors': (fixture) => ({
    token: admin,
    path: inProject(projectWithErrors(fixture).found),
    params: { status: ['unresolved', 'ignored'] },
  }),
  'GET /api/v4/projects/:id/error_tracking/errors/:fingerprint': (fixture) => inError(projectWithErrors(fixture)),
  'GET /api/v4/projects/:id/error_tracking/errors/:fingerprint/events': (fixture) => inError(projectWithErrors(fixture)),
  'PUT /api/v4/projects/:id/error_tracking/errors/:fingerprint': (fixture) =>
    inError(projectWithErrors(fixture), { status: 'ignored', ignored_until: 'date', ignored_until_date: '2099-01-02T03:04:05Z' }),
  'POST /api/v4/projects/:id/error_tracking/errors/:fingerprint/merge': (fixture) => {
    const made = projectWithErrors(fixture);
    return inError(made, { fingerprints: [made.other.fingerprint] });
  },
  'POST /api/v4/projects/:id/error_tracking/errors/:fingerprint/split': (fixture) => {
    const made = projectWithErrors(fixture);
    const { platform } = fixture.server;
    const own = platform.store.get<{ readonly hash: Buffer }>(
      'SELECT hash FROM tracked_groupings WHERE error_id = $id AND event_count > 0',
      { id: made.other.id },
    );
    mergeErrors(platform, made.error, [made.other]);
    return inError(made, { hash: own?.hash.toString('hex') });
  },
  'GET /api/v4/projects/:id/labels': (fixture) => {
    labelOf(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { with_counts: true } };
  },
  'POST /api/v4/projects/:id/labels': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('label'), color: '#5843AD' },
  }),
  'PUT /api/v4/projects/:id/labels': (fixture) => ({
    token: admin,
    path: inProject(fixture.project),
    params: { label_id: labelOf(fixture, fixture.project), description: 'What shines' },
  }),
  'DELETE /api/v4/projects/:id/labels': (fixture) => ({
    token: admin,
    path: inProject(fixture.project),
    params: { label_id: labelOf(fixture, fixture.project) },
  }),
  'GET /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: labelOf(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: labelOf(fixture, fixture.project) }),
    params: { new_name: fixture.fresh('label') },
  }),
  'DELETE /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: labelOf(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/labels/:label_id/promote': (fixture) => {
    const { server, root, group, fresh } = fixture;
    const project = createProject(server.platform, root, { name: fresh('project'), namespaceId: group.group.id });
    return { token: admin, path: inProject(project, { label_id: labelOf(fixture, project) }) };
  },
  'POST /api/v4/projects/:id/labels/:label_id/subscribe': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: labelOf(fixture, fixture.project) }),
  }),
  'POST /api/v4/projects/:id/labels/:label_id/unsubscribe': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: followedLabel(fixture, labelOf(fixture, fixture.project)) }),
  }),
  'GET /api/v4/groups/:id/labels': (fixture) => {
    labelOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { with_counts: true } };
  },
  'POST /api/v4/groups/:id/labels': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { name: fresh('label'), color: 'teal' },
  }),
  'PUT /api/v4/groups/:id/labels': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group),
    params: { label_id: labelOf(fixture, fixture.group), description: 'What shines' },
  }),
  'DELETE /api/v4/groups/:id/labels': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group),
    params: { label_id: labelOf(fixture, fixture.group) },
  }),
  'GET /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: labelOf(fixture, fixture.group) }),
  }),
  'PUT /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: labelOf(fixture, fixture.group) }),
    params: { new_name: fixture.fresh('label') },
  }),
  'DELETE /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: labelOf(fixture, fixture.group) }),
  }),
  'POST /api/v4/groups/:id/labels/:label_id/subscribe': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: labelOf(fixture, fixture.group) }),
  }),
  'POST /api/v4/groups/:id/labels/:label_id/unsubscribe': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: followedLabel(fixture, labelOf(fixture, fixture.group)) }),
  }),

  'GET /api/v4/projects/:id/milestones': (fixture) => {
    milestoneOf(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { state: 'active' } };
  },
  'POST /api/v4/projects/:id/milestones': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { title: fresh('milestone'), due_date: '2027-01-31' },
  }),
  'GET /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: milestoneOf(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: milestoneOf(fixture, fixture.project) }),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: milestoneOf(fixture, fixture.project) }),
  }),
  'GET /api/v4/projects/:id/milestones/:milestone_id/issues': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: plannedMilestone(fixture, fixture.project) }),
  }),
  'GET /api/v4/groups/:id/milestones': (fixture) => {
    milestoneOf(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { state: 'active' } };
  },
  'POST /api/v4/groups/:id/milestones': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { title: fresh('milestone'), due_date: '2027-01-31' },
  }),
  'GET /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: milestoneOf(fixture, fixture.group) }),
  }),
  'PUT /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: milestoneOf(fixture, fixture.group) }),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: milestoneOf(fixture, fixture.group) }),
  }),
  'GET /api/v4/groups/:id/milestones/:milestone_id/issues': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: plannedMilestone(fixture, fixture.group) }),
  }),

  'GET /api/v4/issues': () => ({ token: admin, params: { scope: 'all', state: 'opened' } }),
  'GET /api/v4/projects/:id/issues': ({ project }) => ({ token: admin, path: inProject(project), params: { state: 'opened' } }),
  'POST /api/v4/projects/:id/issues': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { title: 'Another lamp' },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { add_labels: 'hardware' },
  }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid': ({ server, root, project }) => ({
    token: admin,
    path: inProject(project, { issue_iid: createIssue(server.platform, project, root, { title: 'Opened by mistake' }).iid }),
  }),
  'GET /api/v4/groups/:id/issues': (fixture) => {
    plannedMilestone(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { with_labels_details: true } };
  },
  'GET /api/v4/issues/:id': ({ issue }) => ({ token: admin, path: { id: String(issue.id) } }),
  'GET /api/v4/issues_statistics': () => ({ token: admin, params: { scope: 'all' } }),
  'GET /api/v4/groups/:id/issues_statistics': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/projects/:id/issues_statistics': ({ project }) => ({ token: admin, path: inProject(project) }),
  'POST /api/v4/projects/:id/issues/:issue_iid/subscribe': ({ adaToken, ...fixture }) => ({
    token: adaToken,
    path: freshIssue(fixture),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/unsubscribe': (fixture) => ({ token: admin, path: freshIssue(fixture) }),
  'GET /api/v4/projects/:id/issues/:issue_iid/participants': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/move': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { to_project_id: freshProject(fixture).project.id },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/clone': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { to_project_id: fixture.project.project.id, with_notes: true },
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid/reorder': (fixture) => ({
    token: admin,
    path: freshIssue(fixture),
    params: { move_after_id: fixture.issue.id },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/time_stats': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/time_estimate': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { duration: '3h30m' },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/reset_time_estimate': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/add_spent_time': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { duration: '1h' },
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/reset_spent_time': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'GET /api/v4/groups/:id/epics': (fixture) => {
    epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group), params: { state: 'opened' } };
  },
  'POST /api/v4/groups/:id/epics': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { title: fresh('epic'), labels: 'season' },
  }),
  'GET /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'PUT /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({
    token: admin,
    path: inEpic(fixture),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/groups/:id/epics/:epic_iid': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'GET /api/v4/groups/:id/epics/:epic_iid/issues': (fixture) => ({ token: admin, path: inEpic(fixture) }),
  'POST /api/v4/groups/:id/epics/:epic_iid/issues/:issue_id': (fixture) => {
    const { epic, issues } = epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group, { epic_iid: epic.iid, issue_id: issues[0]?.id ?? 0 }) };
  },
  'DELETE /api/v4/groups/:id/epics/:epic_iid/issues/:epic_issue_id': (fixture) => {
    const { epic, ties } = epicWith(fixture);
    return { token: admin, path: inGroup(fixture.group, { epic_iid: epic.iid, epic_issue_id: ties[0] ?? 0 }) };
  },
  'GET /api/v4/projects/:id/issues/:issue_iid/notes': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
  }),
  'POST /api/v4/projects/:id/issues/:issue_iid/notes': ({ project, issue }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid }),
    params: { body: 'Seen again.' },
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ project, issue, note }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid, note_id: note.id }),
  }),
  'PUT /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ project, issue, note }) => ({
    token: admin,
    path: inProject(project, { issue_iid: issue.iid, note_id: note.id }),
    params: { body: 'The fuse was blown.' },
  }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid/notes/:note_id': ({ server, root, project, issue }) => ({
    token: admin,
    path: inProject(project, {
      issue_iid: issue.iid,
      note_id: commentOnIssue(server.platform, project, issue, root, { body: 'Wrong issue.' }).id,
    }),
  }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions': (fixture) => ofIssue(fixture),
  'POST /api/v4/projects/:id/issues/:issue_iid/discussions': (fixture) => ofIssue(fixture, {}, { body: 'Which fuse?' }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id': (fixture) => ofIssue(fixture, inThread(fixture)),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': (fixture) => ofIssue(fixture, inThread(fixture)),
  'POST /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': (fixture) =>
    ofIssue(fixture, inThread(fixture), { body: 'The one on the left.' }),
  'GET /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    ofIssue(fixture, inThread(fixture)),
  'PUT /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    ofIssue(fixture, inThread(fixture), { body: 'The one on the right.' }),
  'DELETE /api/v4/projects/:id/issues/:issue_iid/discussions/:discussion_id/notes/:note_id': (fixture) =>
    ofIssue(fixture, inThread(fixture)),

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
    return inCode(fixture, {}, { state: 'opened', not: { author_username: 'ada' } });
  },
  'POST /api/v4/projects/:id/merge_requests': async (fixture) => {
    const source_branch = await freshBranch(fixture);
    return inCode(fixture, {}, { title: 'Green lamps', source_branch, target_branch: 'main', reviewer_ids: [fixture.ada.id] });
  },
  [`GET ${REQUEST}`]: (fixture) =>
    ofRequest(fixture, {}, { include_diverged_commits_count: true, include_rebase_in_progress: true }),
  [`PUT ${REQUEST}`]: (fixture) => ofRequest(fixture, {}, { description: 'Lamps that shine green' }),
  [`DELETE ${REQUEST}`]: async (fixture) => ofFreshRequest(fixture),
  [`PUT ${REQUEST}/merge`]: (fixture) => ofFreshRequest(fixture, { squash: true }),
  [`POST ${REQUEST}/cancel_merge_when_pipeline_succeeds`]: async (fixture) => {
    const example = await ofFreshRequest(fixture);
    fixture.server.platform.store.run('UPDATE merge_requests SET auto_merge = 1, auto_merge_user_id = 1 WHERE iid = $iid', {
      iid: example.path?.['merge_request_iid'] ?? '',
    });
    return example;
  },
  [`POST ${REQUEST}/approve`]: async (fixture) => ({ ...(await ofFreshRequest(fixture)), token: developerToken(fixture) }),
  [`POST ${REQUEST}/unapprove`]: async (fixture) => {
    const example = { ...(await ofFreshRequest(fixture)), token: developerToken(fixture) };
    await sendExample(fixture.server, { method: 'POST', path: `${REQUEST}/approve` }, example);
    return example;
  },
  [`POST ${REQUEST}/subscribe`]: async (fixture) => ({ ...(await ofFreshRequest(fixture)), token: developerToken(fixture) }),
  [`POST ${REQUEST}/unsubscribe`]: (fixture) => ofFreshRequest(fixture),
  [`GET ${REQUEST}/approvals`]: async (fixture) => {
    const example = await ofFreshRequest(fixture);
    await sendExample(
      fixture.server,
      { method: 'POST', path: `${REQUEST}/approve` },
      { ...example, token: developerToken(fixture) },
    );
    return example;
  },
  'GET /api/v4/projects/:id/issues/:issue_iid/related_merge_requests': (fixture) => ofNamedIssue(fixture),
  'GET /api/v4/projects/:id/issues/:issue_iid/closed_by': (fixture) => ofNamedIssue(fixture),
  [`GET ${REQUEST}/closes_issues`]: async (fixture) => {
    await ofNamedIssue(fixture);
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
  ...notesExamples(SNIPPET, async (fixture) => {
    const { inProject: snippet } = await snippets(fixture);
    return { path: await ofProjectSnippet(fixture), noted: notedSnippet(fixture.server.platform, fixture.project, snippet) };
  }),
  ...notesExamples(EPIC, (fixture) => {
    const { epic } = epicWith(fixture);
    return { path: inGroup(fixture.group, { epic_id: epic.id }), noted: notedEpic(fixture.group, epic) };
  }),
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

  'GET /api/v4/events': () => ({ token: admin, params: { action: 'commented', after: '2020-01-01' } }),
  'GET /api/v4/users/:id/events': () => ({ path: { id: 'root' } }),
  'GET /api/v4/projects/:project_id/events': ({ project }) => ({ path: { project_id: String(project.project.id) } }),

  'POST /oauth/authorize_device': ({ server, fresh }) => ({
    asForm: true,
    params: { client_id: registerFor(server, fresh('app')), scope: 'read_user' },
  }),
  'POST /oauth/token': async ({ server }) => {
    const { refresh_token } = await signedIn(server);
    return { asForm: true, params: { ...extension, grant_type: 'refresh_token', refresh_token } };
  },
  'POST /oauth/revoke': async ({ server }) => ({
    asForm: true,
    params: { ...extension, token: (await signedIn(server)).access_token },
  }),
  'POST /oauth/introspect': async ({ server }) => {
    const client = confidentialClient(server);
    return { asForm: true, params: { ...client, token: (await signedIn(server, client)).access_token } };
  },
  'GET /oauth/userinfo': async ({ server }) => ({ token: await openIdToken(server) }),
  'POST /oauth/userinfo': async ({ server }) => ({ asForm: true, params: { access_token: await openIdToken(server) } }),
  'GET /oauth/discovery/keys': () => ({}),
  'GET /.well-known/openid-configuration': () => ({}),
  'GET /.well-known/oauth-authorization-server': () => ({}),
  'GET /.well-known/webfinger': ({ server }) => ({ params: { resource: `${server.origin}/root` } }),
  'GET /oauth/token/info': async ({ server }) => ({ params: { access_token: (await signedIn(server)).access_token } }),

  'GET /oauth/authorize': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    params: requestOf(codeClient(fixture.server)),
  }),
  'POST /oauth/authorize': async (fixture) => {
    const page = addressOf(requestOf(codeClient(fixture.server)));
    return formExample(await browser(fixture), page, '/oauth/authorize');
  },
  'GET /oauth/authorize/native': async (fixture) => {
    const client = await browser(fixture);
    const request = requestOf(codeClient(fixture.server, { redirectUris: [OUT_OF_BAND] }), { redirect_uri: OUT_OF_BAND });
    const { code = '' } = returned(await decideOn(client, request));
    return { headers: { Cookie: client.cookieHeader() }, params: { code } };
  },
  'DELETE /oauth/authorize': async (fixture) => {
    const client = await browser(fixture);
    const request = requestOf(codeClient(fixture.server));
    const page = await client.open(addressOf(request));
    const token = formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
    return { headers: { Cookie: client.cookieHeader(), 'X-CSRF-Token': token }, params: request };
  },

  'GET /oauth/device': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    params: { user_code: 'ABCD-EFGH' },
  }),
  'POST /oauth/device': async (fixture) => {
    const { user_code } = await deviceCodes(fixture.server, { client_id: registerFor(fixture.server, fixture.fresh('app')) });
    return formExample(await browser(fixture), '/oauth/device', '/oauth/device', { user_code });
  },
  'POST /oauth/device/confirm': async (fixture) => {
    const { user_code } = await deviceCodes(fixture.server, { client_id: registerFor(fixture.server, fixture.fresh('app')) });
    const client = await browser(fixture);
    const consent = await client.submit(await client.open('/oauth/device'), '/oauth/device', { user_code });
    return sentForm(client, consent.text, '/oauth/device/confirm', { decision: 'approve' });
  },
  'GET /oauth/device/approved': () => ({}),
  'GET /oauth/device/denied': () => ({}),
  'GET /api/v4/audit_events': (fixture) => ({
    token: admin,
    params: { entity_type: 'Project', entity_id: auditedProject(fixture).project.id },
  }),
  'GET /api/v4/audit_events/:id': (fixture) => ({
    token: admin,
    path: { id: auditEventOf(fixture, 'Gitlab::Audit::InstanceScope', 1) },
  }),
  'POST /api/v4/audit_events': () => ({ token: admin, params: customAuditEvent }),
  'GET /api/v4/groups/:id/audit_events': (fixture) => ({ token: admin, path: inGroup(groupWithAda(fixture)) }),
  'GET /api/v4/groups/:id/audit_events/:audit_event_id': (fixture) => ({
    token: admin,
    path: { ...inGroup(fixture.group), audit_event_id: auditEventOf(fixture, 'Group', fixture.group.group.id) },
  }),
  'POST /api/v4/groups/:id/audit_events': ({ group }) => ({ token: admin, path: inGroup(group), params: customAuditEvent }),
  'GET /api/v4/projects/:id/audit_events': (fixture) => ({ token: admin, path: inProject(auditedProject(fixture)) }),
  'GET /api/v4/projects/:id/audit_events/:audit_event_id': (fixture) => ({
    token: admin,
    path: { ...inProject(fixture.project), audit_event_id: auditEventOf(fixture, 'Project', fixture.project.project.id) },
  }),
  'POST /api/v4/projects/:id/audit_events': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: customAuditEvent,
  }),

  'GET /api/v4/openapi.json': () => ({}),
  'GET /help/api': () => ({}),
  'GET /assets/pages/:file': () => ({ path: { file: 'page.css' } }),
  'GET /': () => ({}),
  'GET /users/sign_in': (fixture) => {
    personWithPassword(fixture);
    return { params: { return_to: '/oauth/device' } };
  },
  'POST /users/sign_in': (fixture) => {
    const { username } = personWithPassword(fixture);
    return formExample(new PageClient(fixture.server), '/users/sign_in', '/users/sign_in', {
      login: username,
      password: PASSWORD,
    });
  },
  'GET /users/sign_in/two_factor': async (fixture) => ({
    headers: { Cookie: (await halfSignedIn(fixture)).client.cookieHeader() },
  }),
  'POST /users/sign_in/two_factor': async (fixture) => {
    const { client, code } = await halfSignedIn(fixture);
    // The code of the set-up is spent.
    fixture.server.platform.clock.advance(30_000);
    return formExample(client, '/users/sign_in/two_factor', '/users/sign_in/two_factor', { code: code() });
  },
  'POST /users/sign_out': async (fixture) => formExample(await browser(fixture), '/', '/users/sign_out'),
  'GET /users/set_up': () => ({}),
  'POST /users/set_up': ({ server }) => {
    server.platform.store.run('UPDATE users SET password_hash = NULL');
    return formExample(new PageClient(server), '/users/set_up', '/users/set_up', {
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
  },
  'GET /user_settings/profile': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/profile': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/profile', '/user_settings/profile', { bio: 'Keeps the lamps lit' }),
  'GET /user_settings/emails': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/emails': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/emails', '/user_settings/emails', {
      email: `${fixture.fresh('root')}@example.com`,
    }),
  'GET /user_settings/password': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/password': async (fixture) => {
    fixture.server.platform.store.run('UPDATE users SET password_hash = NULL');
    return formExample(await browser(fixture), '/user_settings/password', '/user_settings/password', {
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
  },
  'GET /user_settings/two_factor_auth': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/two_factor_auth': async (fixture) => {
    disableSecondFactor(fixture.server.platform, fixture.root);
    const { code } = await secondFactorOf(fixture, fixture.root);
    const page = '/user_settings/two_factor_auth';
    return formExample(await browser(fixture), page, page, { code: code() });
  },
  'POST /user_settings/two_factor_auth/codes': (fixture) => secondFactorForm(fixture),
  'POST /user_settings/two_factor_auth/disable': (fixture) => secondFactorForm(fixture),
  'GET /user_settings/applications': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  }),
  'POST /user_settings/applications': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/applications', '/user_settings/applications', {
      name: fixture.fresh('app'),
      redirect_uri: 'https://lamps.example/callback',
      kind: 'confidential',
      'scopes[api]': '1',
    }),
  'POST /user_settings/applications/:id/renew': (fixture) => applicationForm(fixture, 'renew'),
  'POST /user_settings/applications/:id/delete': (fixture) => applicationForm(fixture, 'delete'),
  'POST /user_settings/applications/:id/revoke': async (fixture) => {
    await signedIn(fixture.server);
    const id = '1';
    const page = '/user_settings/applications';
    return { ...(await formExample(await browser(fixture), page, `${page}/${id}/revoke`)), path: { id } };
  },
  'GET /user_settings/personal_access_tokens': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  }),
  'POST /user_settings/personal_access_tokens': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/personal_access_tokens', '/user_settings/personal_access_tokens', {
      name: 'made by form',
      'scopes[api]': '1',
    }),
  'POST /user_settings/personal_access_tokens/:id/rotate': (fixture) => tokenForm(fixture, 'rotate'),
  'POST /user_settings/personal_access_tokens/:id/revoke': (fixture) => tokenForm(fixture, 'revoke'),
  'GET /:username': () => ({ path: { username: 'root' } }),
  'GET /groups/*full_path': ({ group }) => ({ path: { full_path: group.group.full_path } }),
  'GET /*full_path': () => ({ path: { full_path: 'root/lamps' } }),
  'GET /-/snippets/:id': async (fixture) => ({ path: await ofSnippet(fixture) }),
  'GET /-/snippets/:id/raw': async (fixture) => ({ path: await ofSnippet(fixture) }),
  'GET /-/snippets/:id/raw/*rest': async (fixture) => ({ path: { ...(await ofSnippet(fixture)), rest: 'main/lamp.txt' } }),
  'GET /*full_path/-/snippets/:id': async (fixture) => ({ path: await pageOfSnippet(fixture) }),
  'GET /*full_path/-/error_tracking.json': (fixture) => inErrorPage(fixture),
  'GET /*full_path/-/error_tracking/:issue_id/details.json': (fixture) => inErrorPage(fixture),
  'GET /*full_path/-/error_tracking/:issue_id/stack_trace.json': (fixture) => inErrorPage(fixture),
  'PUT /*full_path/-/error_tracking/:issue_id.json': async (fixture) => {
    const { path } = await inErrorPage(fixture);
    const client = await browser(fixture);
    const page = await client.open('/user_settings/profile');
    const token = formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
    return {
      path: path ?? {},
      headers: { Cookie: client.cookieHeader(), 'X-CSRF-Token': token },
      params: { status: 'resolved' },
    };
  },
  'GET /*full_path/-/snippets/:id/raw': async (fixture) => ({ path: await pageOfSnippet(fixture) }),
  'GET /*full_path/-/snippets/:id/raw/*rest': async (fixture) => ({
    path: { ...(await pageOfSnippet(fixture)), rest: 'main/lamp.txt' },
  }),
  'GET /*full_path/-/archive/*rest': (fixture) => codePage(fixture, { rest: 'v1/code-v1.zip' }),
  'GET /*full_path/-/releases': (fixture) => codePage(fixture),
  'GET /*full_path/-/releases/*rest': async (fixture) => codePage(fixture, { rest: (await released(fixture)).tag }),
  'GET /*full_path/-/tree/*rest': (fixture) => codePage(fixture, { rest: 'topic/lamps' }),
  'GET /*full_path/-/blob/*rest': (fixture) => codePage(fixture, { rest: 'topic/lamps/green.txt' }),
  'GET /*full_path/-/raw/*rest': (fixture) => codePage(fixture, { rest: 'main/README.md' }),
  'GET /*full_path/-/commits/*rest': (fixture) => codePage(fixture, { rest: 'topic' }),
  'GET /*full_path/-/commit/:sha': (fixture) => codePage(fixture, { sha: 'topic' }),
  'GET /*full_path/-/compare/*rest': (fixture) => codePage(fixture, { rest: 'main...topic' }),
  'GET /*full_path/-/branches': (fixture) => codePage(fixture),
  'GET /*full_path/-/tags': (fixture) => codePage(fixture),
  'GET /*full_path/-/tags/*rest': async (fixture) => ({ ...(await codePage(fixture, { rest: 'v1' })), status: 303 }),
  'GET /groups/*full_path/-/epics/:epic_iid': (fixture) => ({
    path: { full_path: 'signals', epic_iid: String(epicWith(fixture).epic.iid) },
  }),
  'GET /groups/*full_path/-/milestones/:milestone_iid': (fixture) => ({
    path: { full_path: 'signals', milestone_iid: iidOfMilestone(fixture, fixture.group) },
  }),
  'GET /*full_path/-/milestones/:milestone_iid': (fixture) => ({
    path: { full_path: 'root/lamps', milestone_iid: iidOfMilestone(fixture, fixture.project) },
  }),
  'GET /*full_path/-/pipelines/:pipeline_id': (fixture) => ({
    path: { full_path: 'root/lamps', pipeline_id: String(pipelineIn(fixture, fixture.project).id) },
  }),
  'GET /*full_path/-/jobs/:job_id': (fixture) => ({
    path: { full_path: 'root/lamps', job_id: String(jobIn(fixture, fixture.project).id) },
  }),
  'GET /*full_path/-/packages/:package_id': (fixture) => ({
    path: { full_path: 'root/lamps', package_id: String(packageIn(fixture, fixture.project).id) },
  }),
  'GET /*full_path/-/merge_requests': async (fixture) => {
    await shownRequest(fixture);
    return { path: { full_path: (await codeProject(fixture)).project.full_path } };
  },
  'GET /*full_path/-/merge_requests/:merge_request_iid': async (fixture) => ({
    path: {
      full_path: (await codeProject(fixture)).project.full_path,
      merge_request_iid: String((await shownRequest(fixture)).iid),
    },
  }),
  'GET /*full_path/-/error_tracking': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { full_path: projectWithErrors(fixture).found.project.full_path },
  }),
  'GET /*full_path/-/error_tracking/:fingerprint/details': async (fixture) => {
    const { found, error } = projectWithErrors(fixture);
    return {
      headers: { Cookie: (await browser(fixture)).cookieHeader() },
      path: { full_path: found.project.full_path, fingerprint: String(error.fingerprint) },
    };
  },
  'POST /*full_path/-/error_tracking/:fingerprint/status': async (fixture) => {
    const { found, other } = projectWithErrors(fixture);
    const address = `/${found.project.full_path}/-/error_tracking/${other.fingerprint}`;
    return {
      ...(await formExample(await browser(fixture), `${address}/details`, `${address}/status`, { status: 'resolved' })),
      path: { full_path: found.project.full_path, fingerprint: String(other.fingerprint) },
    };
  },
  'GET /*full_path/-/issues/:issue_iid': ({ issue }) => ({ path: { full_path: 'root/lamps', issue_iid: String(issue.iid) } }),
  'GET /users/sign_in_links/:secret': ({ server, root }) => ({
    path: { secret: mintSignInLink(server.platform, root, '/')?.path.split('/').at(-1) ?? '' },
  }),
};

/** A request about the issue of a fixture. */
function ofIssue({ project, issue }: Fixture, more: Example['path'] = {}, params: Example['params'] = {}): Example {
  return { token: admin, path: { ...inProject(project, { issue_iid: issue.iid }), ...more }, params };
}

/** A new thread on the issue of a fixture. */
function inThread({ server: { platform }, project, issue, root }: Fixture): Readonly<Record<string, string>> {
  const made = comment(platform, notedIssue(platform, project, issue), root, { body: 'Which fuse?' }, { kind: 'thread' });
  if (!('note' in made)) throw new Error('there is no note');
  return { discussion_id: made.note.discussion_id, note_id: String(made.note.id) };
}

/** Examples of the notes and discussions of one kind of thing; each has a thread of its own. */
function notesExamples(kind: string, find: (fixture: Fixture) => Found | Promise<Found>): Readonly<Record<string, Make>> {
  const example =
    (params: Example['params'] = {}): Make =>
    async (fixture) => {
      const { server, root } = fixture;
      const { path, noted } = await find(fixture);
      const made = comment(server.platform, noted, root, { body: 'Which lamp?' }, { kind: 'thread' });
      if (!('note' in made)) throw new Error('there is no note');
      const { id, discussion_id } = made.note;
      return { token: admin, path: { ...path, note_id: String(id), discussion_id }, params };
    };
  const written = example({ body: 'The red one.' });
  const answers = `${kind}/discussions/:discussion_id/notes`;
  return {
    [`GET ${kind}/notes`]: example(),
    [`POST ${kind}/notes`]: written,
    [`GET ${kind}/notes/:note_id`]: example(),
    [`PUT ${kind}/notes/:note_id`]: written,
    [`DELETE ${kind}/notes/:note_id`]: example(),
    [`GET ${kind}/discussions`]: example(),
    [`POST ${kind}/discussions`]: written,
    [`GET ${kind}/discussions/:discussion_id`]: example(),
    [`GET ${answers}`]: example(),
    [`POST ${answers}`]: written,
    [`GET ${answers}/:note_id`]: example(),
    [`PUT ${answers}/:note_id`]: written,
    [`DELETE ${answers}/:note_id`]: example(),
  };
}

interface Found {
  readonly path: NonNullable<Example['path']>;
  readonly noted: Noted;
}

/** Opens a merge request into the default branch. */
function openRequest(
  { server: { platform }, root, ada }: Fixture,
  found: FoundProject,
  sourceBranch: string,
  targetBranch = 'main',
): MergeRequest {
  const wish = {
    title: 'Green lamps',
    sourceBranch,
    targetBranch,
    labels: ['hardware'],
    assigneeIds: [root.id],
    reviewerIds: [ada.id],
  };
  return createMergeRequest(platform, { source: found, target: found }, root, wish);
}

const shown = new WeakMap<Fixture, number>();

const inGroups = new WeakMap<Fixture, Promise<unknown>>();

/** A merge request in the group of a fixture; one for all, because it takes several programs. */
function requestInGroup(fixture: Fixture): Promise<unknown> {
  const make = async (): Promise<MergeRequest> => {
    const { server, root, group, fresh } = fixture;
    const wish = { name: fresh('code'), namespaceId: group.group.id, visibility: 'public' } as const;
    const found = createProject(server.platform, root, wish);
    await fillCode(fixture, found);
    return openRequest(fixture, found, 'topic');
  };
  const made = inGroups.get(fixture) ?? make();
  inGroups.set(fixture, made);
  return made;
}

/** A request about an issue that a merge request closes. */
async function ofNamedIssue(fixture: Fixture): Promise<Example> {
  const { server, root } = fixture;
  const found = await codeProject(fixture);
  const { iid, id } = createIssue(server.platform, found, root, { title: 'No green lamps' });
  server.platform.store.run('INSERT INTO merge_request_issues (merge_request_id, issue_id, closes) VALUES ($request, $id, 1)', {
    request: (await shownRequest(fixture)).id,
    id,
  });
  return inCode(fixture, { issue_iid: String(iid) });
}

/** The merge request of a fixture that nothing ends. */
async function shownRequest(fixture: Fixture): Promise<MergeRequest> {
  const found = await codeProject(fixture);
  const iid = shown.get(fixture);
  const known = iid === undefined ? undefined : findMergeRequest(fixture.server.platform, found, iid);
  if (known !== undefined) return known;
  const opened = openRequest(fixture, found, 'topic');
  shown.set(fixture, opened.iid);
  return opened;
}

/** A new branch where another one or a tag is; by the database alone, because programs take their time. */
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
  return inCode(fixture, { merge_request_iid: String(iid), ...more }, params);
}

/** A request about a merge request of its own. */
async function ofFreshRequest(fixture: Fixture, params: Example['params'] = {}): Promise<Example> {
  const target = await freshBranch(fixture, 'v1');
  const { iid } = openRequest(fixture, await codeProject(fixture), await freshBranch(fixture), target);
  return inCode(fixture, { merge_request_iid: String(iid) }, params);
}

/** Token of somebody who may approve in all projects. */
function developerToken({ server, fresh }: Fixture): string {
  const user = person(server, fresh('approver'));
  server.platform.store.run('UPDATE users SET admin = 1 WHERE id = $id', { id: user.id });
  return tokenOf(server, user);
}

/** A new thread on the merge request of a fixture. */
async function inRequestThread(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  const { server, root } = fixture;
  const [found, request] = [await codeProject(fixture), await shownRequest(fixture)];
  const noted = notedMergeRequest(server.platform, found, request, root);
  const made = comment(server.platform, noted, root, { body: 'Which green?' }, { kind: 'thread' });
  if (!('note' in made)) throw new Error('there is no note');
  return { discussion_id: made.note.discussion_id, note_id: String(made.note.id) };
}

/** A line of the changes of the merge request of a fixture. */
async function onLine(fixture: Fixture): Promise<Readonly<Record<string, unknown>>> {
  const { head_sha, start_sha } = await shownRequest(fixture);
  const file = { old_path: 'lamps/green.txt', new_path: 'lamps/green.txt', new_line: 1 };
  return { position_type: 'text', base_sha: start_sha, start_sha, head_sha, ...file };
}

/** The form of somebody without a password whose second factor is on; both of its buttons send the same fields. */
async function secondFactorForm(fixture: Fixture): Promise<Example> {
  await switchSecondFactorOn(fixture, fixture.root);
  return formExample(await browser(fixture), '/user_settings/two_factor_auth', '/user_settings/two_factor_auth/codes');
}

async function switchSecondFactorOn(fixture: Fixture, user: User): Promise<() => string> {
  const { platform } = fixture.server;
  disableSecondFactor(platform, user);
  const { code } = await secondFactorOf(fixture, user);
  await enableSecondFactor(platform, user, code());
  return code;
}

/** A second factor that is being set up, and what the app shows for it. */
async function secondFactorOf({ server: { platform } }: Fixture, user: User): Promise<{ code: () => string }> {
  const { secret } = await enrolment(platform, user, 'localhost');
  const app = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  return { code: () => app.generate({ timestamp: platform.clock.now() }) };
}

/** A browser that waits for the code of somebody; sending the password first would cost a hash each time. */
async function halfSignedIn(fixture: Fixture): Promise<{ client: PageClient; code: () => string }> {
  const { server, fresh } = fixture;
  const user = person(server, fresh('signer'));
  const code = await switchSecondFactorOn(fixture, user);
  const client = new PageClient(server);
  await client.open('/users/sign_in');
  server.platform.store.run('UPDATE web_sessions SET half_user_id = $id, half_until = expires_at WHERE session_hash = $hash', {
    id: user.id,
    hash: hashSecret(client.cookie() ?? ''),
  });
  return { client, code };
}

/** Of a flow that a client has just begun. */
async function flowId({ server, fresh }: Fixture): Promise<string> {
  await deviceCodes(server, { client_id: registerFor(server, fresh('app')) });
  return server.platform.flows.list(server.platform.clock.now())[0]?.id ?? '';
}

async function applicationForm(fixture: Fixture, action: string): Promise<Example> {
  const id = confidentialIdFor(fixture.server, fixture.fresh('app'), fixture.root);
  const page = '/user_settings/applications';
  return { ...(await formExample(await browser(fixture), page, `${page}/${id}/${action}`)), path: { id } };
}

function confidentialIdFor(server: TestServer, name: string, owner?: User): string {
  const wish = { name, scopes: ['api'], confidential: true, ...(owner === undefined ? {} : { owner }) };
  return String(createApplication(server.platform, wish).application.id);
}

async function tokenForm(fixture: Fixture, action: string): Promise<Example> {
  const id = tokenIdOf(fixture.server, fixture.root);
  const page = '/user_settings/personal_access_tokens';
  return { ...(await formExample(await browser(fixture), page, `${page}/${id}/${action}`)), path: { id } };
}

/** A new epic with three issues, and the numbers of what ties them to it. */
function epicWith({ server, root, group, fresh }: Fixture): {
  readonly epic: Epic;
  readonly issues: readonly Issue[];
  readonly ties: readonly number[];
} {
  const { platform } = server;
  const epic = createEpic(platform, group, root, { title: fresh('epic') });
  const project = createProject(platform, root, { name: fresh('project'), namespaceId: group.group.id });
  const issues = ['First lamp', 'Second lamp', 'Third lamp'].map((title) => createIssue(platform, project, root, { title }));
  return { epic, issues, ties: issues.map(({ id }) => addIssueToEpic(platform, epic, id)) };
}

function inEpic(fixture: Fixture): Readonly<Record<string, string>> {
  return inGroup(fixture.group, { epic_iid: epicWith(fixture).epic.iid });
}

/** Path of a new issue of root's. */
function freshIssue({ server, root, project }: Pick<Fixture, 'server' | 'root' | 'project'>): Readonly<Record<string, string>> {
  return inProject(project, { issue_iid: createIssue(server.platform, project, root, { title: 'Another lamp' }).iid });
}

/** Number of a new label. */
function labelOf({ server, fresh }: Fixture, place: FoundProject | FoundGroup): number {
  return createLabel(server.platform, homeOf(place), { title: fresh('label'), color: '#428bca' }).id;
}

function followedLabel({ server, root }: Fixture, id: number): number {
  changeSubscription(server.platform, { type: 'Label', id }, root, { to: true, takesPart: false });
  return id;
}

/** Number of a new milestone. */
function milestoneOf({ server, root, fresh }: Fixture, place: FoundProject | FoundGroup): number {
  return createMilestone(server.platform, homeOf(place), root, { title: fresh('milestone'), startDate: '2027-01-01' }).id;
}

function iidOfMilestone(fixture: Fixture, place: FoundProject | FoundGroup): string {
  const found = findMilestone(fixture.server.platform, homeOf(place), milestoneOf(fixture, place));
  return String(found?.iid);
}

/** Number of a milestone that some issues have. */
function plannedMilestone(fixture: Fixture, place: FoundProject | FoundGroup): number {
  const { server, root, fresh } = fixture;
  const milestoneId = milestoneOf(fixture, place);
  const project =
    'project' in place ? place : createProject(server.platform, root, { name: fresh('project'), namespaceId: place.group.id });
  for (const title of ['First lamp', 'Second lamp', 'Third lamp'])
    createIssue(server.platform, project, root, { title, milestoneId });
  return milestoneId;
}

function homeOf(place: FoundProject | FoundGroup): { readonly kind: 'project' | 'group'; readonly id: number } {
  return 'project' in place ? { kind: 'project', id: place.project.id } : { kind: 'group', id: place.group.id };
}

function projectWithAda(fixture: Fixture): FoundProject {
  const project = freshProject(fixture);
  addMember(
    fixture.server.platform,
    project.project,
    fixture.ada,
    { level: 30, expiresAt: null },
    { user: fixture.root, standing: project.standing },
  );
  return project;
}

async function openIdToken(server: TestServer): Promise<string> {
  return (await signedIn(server, publicClient(server, ['openid']), 'openid')).access_token;
}

function registerFor(server: TestServer, name: string): string {
  return createApplication(server.platform, { name, scopes: ['api', 'read_user'], confidential: false }).application.uid;
}
