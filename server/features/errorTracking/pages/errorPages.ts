import type { GitCore } from '../../../repositories/repositories.ts';
import type { TrackingCore } from '../trackingCore.ts';
import { html } from 'hono/html';
import { DAY } from '../../../core/clock.ts';
import { forbidden, recordNotFound, unreadable } from '../../../core/errors.ts';
import type { Route } from '../../../http/route.ts';
import type { Core } from '../../../core/core.ts';
import { holdsRole } from '../../abilities/abilities.ts';
import { type ProjectPageRequest, projectPageRoute } from '../../projectAccess/projectAccess.ts';
import type { PageContent } from '../../../web/layout.ts';
import { type PageResponse, type Redirection, signInPath } from '../../../web/route.ts';
import { detailContent } from './errorDetailPage.ts';
import { remainingFingerprint } from '../merge/mergedErrorStore.ts';
import { findError, type TrackedError } from '../read/readErrors.ts';
import { editStatus } from '../edits/editErrors.ts';
import { handleEdit } from './editForms.ts';
import { listContent } from './errorListPage.ts';
import { handleScrubbingForm, handleStreamForm, settingsCard } from './settingsCard.ts';
import { tracksErrors } from '../settings/errorTrackingSettings.ts';
import type { IgnoreEnd, StateInput } from '../status/statusRules.ts';

/** Routes of the pages of tracked errors: the list of a project, and each error with its events. */
export function errorTrackingPages(core: GitCore & TrackingCore): Route[] {
  const metadata = { specRef: 'Tracked errors in pages', status: 'local' } as const;
  return [
    projectPageRoute({ ...metadata, method: 'GET', path: '/*full_path/-/error_tracking' }, (request) =>
      forReporters(request, () => showList(core, request)),
    ),
    projectPageRoute({ ...metadata, method: 'POST', path: '/*full_path/-/error_tracking/scrubbing' }, (request) =>
      forReporters(request, () => handleScrubbingForm(core, request)),
    ),
    projectPageRoute({ ...metadata, method: 'POST', path: '/*full_path/-/error_tracking/stream' }, (request) =>
      forReporters(request, () => handleStreamForm(core, request)),
    ),
    projectPageRoute({ ...metadata, method: 'GET', path: '/*full_path/-/error_tracking/:fingerprint/details' }, (request) =>
      forReporters(request, () => showDetails(core, request)),
    ),
    projectPageRoute({ ...metadata, method: 'POST', path: '/*full_path/-/error_tracking/:fingerprint/status' }, (request) =>
      forReporters(request, () => changeStatus(core, request)),
    ),
    projectPageRoute({ ...metadata, method: 'POST', path: '/*full_path/-/error_tracking/:fingerprint/edit' }, (request) =>
      forReporters(request, () => edit(core, request)),
    ),
  ];
}

function showList(core: GitCore & TrackingCore, request: ProjectPageRequest): Promise<PageContent> | PageContent {
  return tracksErrors(core, request.project.id) ? listContent(core, request) : trackingOffPage(core, request);
}

/** Returns the page of an error. The address of an error that was merged leads to the page of the error that it is part of. */
function showDetails(core: GitCore & TrackingCore, request: ProjectPageRequest): PageResponse | Promise<PageResponse> {
  const { project, rest } = request;
  const fingerprint = Number(/^\d{1,15}(?=\/)/.exec(rest)?.[0]);
  const remaining = tracksErrors(core, project.id) ? remainingFingerprint(core.store, project.id, fingerprint) : undefined;
  if (remaining !== undefined) return detailsOf(request, remaining);
  return detailContent(core, request, demandError(core, request, 'details'), mayChange(request));
}

function changeStatus(core: GitCore & TrackingCore, request: ProjectPageRequest): Redirection {
  const error = demandError(core, request, 'status');
  demandDeveloper(request);
  if (request.caller === undefined) throw recordNotFound('changing errors requires signing in');
  editStatus(core, { found: request, caller: request.caller }, error, readInput(request.form, request.now));
  return detailsOf(request, error.fingerprint);
}

async function edit(core: GitCore & TrackingCore, request: ProjectPageRequest): Promise<Redirection> {
  const find = (): TrackedError => demandError(core, request, 'edit');
  find();
  demandDeveloper(request);
  return detailsOf(request, await handleEdit(core, request, find));
}

function demandDeveloper(request: ProjectPageRequest): void {
  if (mayChange(request)) return;
  throw forbidden(
    undefined,
    'changing errors requires at least the developer role and a project that is not archived',
    'role.project.developer',
  );
}

function detailsOf({ project }: ProjectPageRequest, fingerprint: number): Redirection {
  return { redirectTo: `/${project.full_path}/-/error_tracking/${fingerprint}/details` };
}

/** Returns the response for reporters. Others get 404, and callers who are not signed in are sent to the sign-in page. */
function forReporters(
  request: ProjectPageRequest,
  response: () => PageResponse | Promise<PageResponse>,
): PageResponse | Promise<PageResponse> {
  if (holdsRole(request.access, 'reporter')) return response();
  if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
  throw recordNotFound('tracked errors require at least the reporter role');
}

function mayChange({ access, project }: ProjectPageRequest): boolean {
  return holdsRole(access, 'developer') && project.archived === 0;
}

function demandError(
  core: TrackingCore,
  { project, rest }: ProjectPageRequest,
  page: 'details' | 'status' | 'edit',
): TrackedError {
  const [, fingerprint] = /^(\d{1,15})\/([a-z]+)$/.exec(rest) ?? [];
  const error =
    fingerprint !== undefined && rest.endsWith(`/${page}`) && tracksErrors(core, project.id)
      ? findError(core, project.id, Number(fingerprint))
      : undefined;
  if (error === undefined) throw recordNotFound('no such error, or error tracking of the project is off');
  return error;
}

/** Reads the form of an error: its new status and, if it is ignored, for how long. */
function readInput(form: URLSearchParams, now: number): StateInput {
  const status = form.get('status') ?? '';
  switch (status) {
    case 'unresolved':
    case 'resolved':
    case 'resolved_in_next_release':
      return { status };
    case 'ignored':
      return { status, until: untilOf(form.get('until') ?? '', now) };
    default:
      throw unreadable('the field status must be unresolved, resolved, resolved_in_next_release or ignored');
  }
}

function untilOf(choice: string, now: number): IgnoreEnd | undefined {
  switch (choice) {
    case '':
      return undefined;
    case 'next_occurrence':
      return { kind: 'next_occurrence' };
    case 'occurrences':
      return { kind: 'occurrences', count: 10 };
    case 'occurrences_per_hour':
      return { kind: 'occurrences_per_hour', count: 10 };
    case 'day':
      return { kind: 'date', at: now + DAY };
    case 'week':
      return { kind: 'date', at: now + 7 * DAY };
    default:
      throw unreadable('the field until must be one of the options of the form');
  }
}

function trackingOffPage(core: Core, request: ProjectPageRequest): PageContent {
  const { project, access } = request;
  return {
    title: `Errors · ${project.name}`,
    heading: 'Errors',
    width: 'wide',
    body: html`<div class="card">
<p>Error tracking is off for this project.</p>
${
  holdsRole(access, 'maintainer')
    ? html`<p>Enable it with the command <strong>Enable Error Tracking…</strong> of Signalbox in VS Code, or with a request:</p>
<pre>PUT /api/v4/projects/${project.id}/error_tracking/settings?active=true&amp;integrated=true</pre>
<p>Then create a client key with <code>POST /api/v4/projects/${project.id}/error_tracking/client_keys</code>, and use its DSN in the SDK of your application.</p>`
    : html`<p class="muted">A maintainer of the project can enable it.</p>`
}
</div>
${settingsCard(core, request)}`,
  };
}
