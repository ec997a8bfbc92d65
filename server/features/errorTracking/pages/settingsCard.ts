import type { GitCore } from '../../../repositories/repositories.ts';
import { html } from 'hono/html';
import { forbidden, recordNotFound, unreadable } from '../../../core/errors.ts';
import { isLoopbackHost } from '../../../http/hostGuard.ts';
import type { Core } from '../../../core/core.ts';
import { findProject, type ProjectPageRequest } from '../../projectAccess/projectAccess.ts';
import { holdsRole } from '../../abilities/abilities.ts';
import { changeSettings } from '../../applicationSettings/applicationSettings.ts';
import { formTokenField, type Markup, notice } from '../../../web/layout.ts';
import type { Redirection } from '../../../web/route.ts';
import { STREAM_PATH, streamProject } from '../receive/localStream.ts';
import { scrubsSecrets, setScrubbing, tracksErrors } from '../settings/errorTrackingSettings.ts';

/** Card with the error tracking settings of a project, for maintainers, and those of the instance, for administrators. */
export function settingsCard(core: Core, request: ProjectPageRequest): Markup | string {
  const parts = [scrubbingPart(core, request), streamPart(core, request)].filter((part) => part !== '');
  if (parts.length === 0) return '';
  return html`<section class="card event" aria-labelledby="settings">
<h2 id="settings">Settings</h2>
${request.query.get('done') === '1' ? notice('success', 'Setting saved.') : ''}
${parts}
</section>`;
}

function scrubbingPart(core: Core, request: ProjectPageRequest): Markup | string {
  const scrubs = scrubsSecrets(core, request.project.id);
  if (scrubs === undefined || !maySet(request)) return '';
  return html`<h3>Data scrubbing</h3>
<p>${
    scrubs
      ? 'Authorization headers, cookies, numbers of cards, and values that are named like passwords, tokens or keys are removed from events before they are stored.'
      : 'Events are stored with the secrets that they contain, such as authorization headers, cookies and passwords.'
  } A change affects only new events.</p>
${toggle(`${addressOf(request)}/scrubbing`, !scrubs, scrubs ? 'Disable data scrubbing' : 'Enable data scrubbing', request)}`;
}

function streamPart(core: Core, request: ProjectPageRequest): Markup | string {
  if (!isAdministrator(request)) return '';
  const chosen = streamProject(core);
  const isThis = chosen === request.project.id;
  const isTracked = tracksErrors(core, request.project.id);
  if (!isThis && !isTracked) return '';
  const other = chosen === undefined || isThis ? undefined : findProject(core, chosen, request.caller)?.project;
  const address = html`<code>${streamAddress(request.baseUrl)}</code>`;
  return html`<h3>Local stream</h3>
<p>SDKs on this machine can send events without a client key: set their option <code>spotlight</code> to ${address}. ${
    isThis
      ? isTracked
        ? 'This project receives these events.'
        : 'This project is selected, but receives nothing while its error tracking is off.'
      : other === undefined
        ? 'No project receives these events.'
        : html`The project <a href="/${other.full_path}/-/error_tracking"><bdi>${other.name}</bdi></a> receives these events.`
  } The setting applies to the whole instance, and only administrators can change it.</p>
${toggle(`${addressOf(request)}/stream`, !isThis, isThis ? `Stop receiving events from ${STREAM_PATH}` : `Receive events from ${STREAM_PATH} in this project`, request)}`;
}

/** Address of the local stream for SDKs on this machine, also if other machines reach the server by another address. */
export function streamAddress(baseUrl: string): string {
  return `${isLoopbackHost(new URL(baseUrl).host) ? baseUrl : 'http://localhost:…'}${STREAM_PATH}`;
}

function toggle(action: string, input: boolean, text: string, request: ProjectPageRequest): Markup {
  return html`<form method="post" action="${action}">${formTokenField(request.formToken())}<input type="hidden" name="enabled" value="${input ? '1' : '0'}">
<div class="actions start"><button class="second" type="submit">${text}</button></div></form>`;
}

/** Handles the form that switches data scrubbing. */
export function handleScrubbingForm(core: Core, request: ProjectPageRequest): Redirection {
  if (!maySet(request)) {
    throw forbidden(undefined, 'changing data scrubbing requires at least the maintainer role', 'role.project.maintainer');
  }
  if (setScrubbing(core, request.project.id, readInput(request)) === undefined) {
    throw recordNotFound('error tracking of the project has never been configured');
  }
  return { redirectTo: `${addressOf(request)}?done=1#settings` };
}

/** Handles the form that selects the project of the local stream. */
export function handleStreamForm(core: GitCore, request: ProjectPageRequest): Redirection {
  if (!isAdministrator(request)) {
    throw forbidden(undefined, 'only administrators can select the project of the local stream', 'role.administrator');
  }
  const { caller, project } = request;
  const isThis = streamProject(core) === project.id;
  // Another administrator may have selected another project since the page was loaded.
  const input = readInput(request) ? project.id : isThis ? 0 : undefined;
  changeSettings(core, { error_tracking_stream_project_id: input }, (id) => findProject(core, id, caller) !== undefined);
  return { redirectTo: `${addressOf(request)}?done=1#settings` };
}

function readInput({ form }: ProjectPageRequest): boolean {
  const enabled = form.get('enabled');
  if (enabled !== '1' && enabled !== '0') throw unreadable('the field enabled must be 1 or 0');
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
