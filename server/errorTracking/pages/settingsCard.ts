import { html } from 'hono/html';
import { forbidden, recordNotFound, unreadableRequest } from '../../http/failures.ts';
import { isLoopbackHost } from '../../http/hostGuard.ts';
import type { Platform } from '../../platform.ts';
import { findProject, holdsRole, type ProjectPageRequest } from '../../projects/projects.ts';
import { changeSettings } from '../../settings/settings.ts';
import { formTokenField, type Markup, notice } from '../../web/layout.ts';
import type { Redirection } from '../../web/route.ts';
import { STREAM_PATH, streamProject } from '../ingest/spotlight.ts';
import { scrubsSecrets, setScrubbing, tracksErrors } from '../settings/settings.ts';

/** What there is to set about error tracking of a project: for maintainers, and for administrators what is the whole instance's. */
export function settingsCard(platform: Platform, request: ProjectPageRequest): Markup | string {
  const parts = [scrubbingPart(platform, request), streamPart(platform, request)].filter((part) => part !== '');
  if (parts.length === 0) return '';
  return html`<section class="card event" aria-labelledby="settings">
<h2 id="settings">Settings</h2>
${request.query.get('done') === '1' ? notice('success', 'The setting is saved.') : ''}
${parts}
</section>`;
}

function scrubbingPart(platform: Platform, request: ProjectPageRequest): Markup | string {
  const scrubs = scrubsSecrets(platform, request.project.id);
  if (scrubs === undefined || !maySet(request)) return '';
  return html`<h3>Secrets</h3>
<p>${
    scrubs
      ? 'Authorization headers, cookies, and values that are named like passwords, tokens or keys are taken out of every event before it is kept.'
      : 'Events are kept with the secrets that programs send in them, such as authorization headers, cookies and passwords.'
  } A change affects only what is sent from then on.</p>
${toggle(`${addressOf(request)}/scrubbing`, !scrubs, scrubs ? 'Keep secrets in events' : 'Take secrets out of events', request)}`;
}

function streamPart(platform: Platform, request: ProjectPageRequest): Markup | string {
  if (!isAdministrator(request)) return '';
  const chosen = streamProject(platform);
  const isThis = chosen === request.project.id;
  const isTracked = tracksErrors(platform, request.project.id);
  if (!isThis && !isTracked) return '';
  const other = chosen === undefined || isThis ? undefined : findProject(platform, chosen, request.caller)?.project;
  const address = html`<code>${streamAddress(request.baseUrl)}</code>`;
  return html`<h3>Stream of this machine</h3>
<p>SDKs can send a copy of every event to a program on the same machine, without a client key: with their option <code>spotlight</code> set to ${address}. ${
    isThis
      ? isTracked
        ? 'This project takes it.'
        : 'It leads to this project, which takes nothing while its errors are not tracked.'
      : other === undefined
        ? 'No project takes it now.'
        : html`The project <a href="/${other.full_path}/-/error_tracking"><bdi>${other.name}</bdi></a> takes it now.`
  } It is a setting of the whole instance, for administrators only.</p>
${toggle(`${addressOf(request)}/stream`, !isThis, isThis ? `Take nothing from ${STREAM_PATH} any more` : `Take what is sent to ${STREAM_PATH} into this project`, request)}`;
}

/** Where SDKs of this machine send to, whatever the address is by which others reach the server. */
export function streamAddress(baseUrl: string): string {
  return `${isLoopbackHost(new URL(baseUrl).host) ? baseUrl : 'http://localhost:…'}${STREAM_PATH}`;
}

function toggle(action: string, input: boolean, text: string, request: ProjectPageRequest): Markup {
  return html`<form method="post" action="${action}">${formTokenField(request.formToken())}<input type="hidden" name="enabled" value="${input ? '1' : '0'}">
<div class="actions start"><button class="second" type="submit">${text}</button></div></form>`;
}

/** What the form about secrets does. */
export function takeScrubbing(platform: Platform, request: ProjectPageRequest): Redirection {
  if (!maySet(request)) {
    throw forbidden(undefined, 'only maintainers of the project set what is taken out of events', 'role.project.maintainer');
  }
  if (setScrubbing(platform, request.project.id, readInput(request)) === undefined) {
    throw recordNotFound('nobody has set error tracking of this project yet');
  }
  return { redirectTo: `${addressOf(request)}?done=1#settings` };
}

/** What the form about the stream does. */
export function takeStream(platform: Platform, request: ProjectPageRequest): Redirection {
  if (!isAdministrator(request)) {
    throw forbidden(undefined, 'only administrators choose the project that the stream leads to', 'role.administrator');
  }
  const { caller, project } = request;
  const isThis = streamProject(platform) === project.id;
  // Somebody else may have chosen another project since the page was loaded.
  const input = readInput(request) ? project.id : isThis ? 0 : undefined;
  changeSettings(platform, { error_tracking_stream_project_id: input }, (id) => findProject(platform, id, caller) !== undefined);
  return { redirectTo: `${addressOf(request)}?done=1#settings` };
}

function readInput({ form }: ProjectPageRequest): boolean {
  const enabled = form.get('enabled');
  if (enabled !== '1' && enabled !== '0') throw unreadableRequest('the field enabled must be 1 or 0');
  return enabled === '1';
}

function maySet({ access }: ProjectPageRequest): boolean {
  return holdsRole(access, 'maintainer');
}

function isAdministrator({ access }: ProjectPageRequest): boolean {
  return access.isAdministrator;
}

function addressOf({ project }: ProjectPageRequest): string {
  return `/${project.full_path}/-/error_tracking`;
}
