import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { changeErrorStatus } from '../../../server/features/errorTracking/status/errorStatus.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { findError, type TrackedError } from '../../../server/features/errorTracking/read/readErrors.ts';
import { assignError } from '../../../server/features/errorTracking/edits/editErrors.ts';
import { mergeErrors } from '../../../server/features/errorTracking/merge/mergeErrors.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { hearSession } from '../../server/errorTracking/releases/heardSessions.ts';
import { keepSourceMap } from '../../server/errorTracking/sourceMaps/storedSourceMaps.ts';
import { fullEvent, reportError } from '../../server/errorTracking/reports.ts';
import { formsOf } from '../pages.ts';
import { browser, formExample } from './browser.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject } from './fixture.ts';

function trackedProject(fixture: Fixture): FoundProject {
  const found = freshProject(fixture);
  setErrorTracking(fixture.server.platform, found.project.id, true);
  return found;
}

/** Records every kind of ingest statistic. */
function recordIngestStats({ server }: Fixture, id: number): void {
  const { ingestStats, clock } = server.platform;
  const at = clock.now();
  ingestStats.count(at, id, 'accepted', 'event');
  ingestStats.count(at, id, 'repeated', 'event');
  ingestStats.count(at, id, 'ignored', 'transaction');
  ingestStats.count(at, id, 'dropped', 'the session has no release');
  ingestStats.discarded(at, id, [{ reason: 'sample_rate', category: 'error', quantity: 3 }]);
  const offered = { key: `glet_${'0'.repeat(32)}`, from: 'header', client: 'sentry.python/2.68.0' } as const;
  ingestStats.refused(id, { at, code: 'unknown_key', status: 404, reason: 'no such key', endpoint: 'envelope', offered });
}

/** Returns what an SDK sends: an envelope with only a header. */
function sentError(fixture: Fixture): Example {
  const { project } = trackedProject(fixture);
  const { public_key: key } = createClientKey(fixture.server.platform, project.id);
  return {
    path: { project_id: String(project.id) },
    headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}` },
    params: {},
  };
}

/** Returns a project with an error that has every kind of data, and another error. */
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

async function inSettings(fixture: Fixture, form: string): Promise<Example> {
  const { full_path } = projectWithErrors(fixture).found.project;
  const address = `/${full_path}/-/error_tracking`;
  return { ...(await formExample(await browser(fixture), address, `${address}/${form}`, {})), path: { full_path } };
}

export const errorTrackingExamples: Examples = {
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
    recordIngestStats(fixture, found.project.id);
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
  'GET /api/v4/projects/:id/error_tracking/client_keys/:key_id': ({ server, project }) => {
    const { platform } = server;
    const { id } = createClientKey(platform, project.project.id);
    const program = { release: 'shop@1.0', serverName: 'web-1', sdk: 'sentry.javascript.node/10.78.0' };
    platform.ingestStats.keyUse.usedBy(id, platform.clock.now(), program, 1);
    return { token: admin, path: inProject(project, { key_id: id }) };
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
  'POST /api/v4/projects/:id/error_tracking/errors/:fingerprint/undo': (fixture) => {
    const made = projectWithErrors(fixture);
    const { platform } = fixture.server;
    assignError(platform, made.error, made.found.userId);
    return inError(made, { change_id: findError(platform, made.found.project.id, made.error.fingerprint)?.edit_id ?? 0 });
  },
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
  'GET /*full_path/-/error_tracking': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { full_path: projectWithErrors(fixture).found.project.full_path },
  }),
  'POST /*full_path/-/error_tracking/scrubbing': (fixture) => inSettings(fixture, 'scrubbing'),
  'POST /*full_path/-/error_tracking/stream': (fixture) => inSettings(fixture, 'stream'),
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
  'POST /*full_path/-/error_tracking/:fingerprint/edit': async (fixture) => {
    const { found, other } = projectWithErrors(fixture);
    const address = `/${found.project.full_path}/-/error_tracking/${other.fingerprint}`;
    return {
      ...(await formExample(await browser(fixture), `${address}/details`, `${address}/edit`, { assignee: '' })),
      path: { full_path: found.project.full_path, fingerprint: String(other.fingerprint) },
    };
  },
};
