import type { LiveCore, NumberedOccurrence } from '../../core/live.ts';
import { PassThrough } from 'node:stream';
import { visibleActivity } from '../activity/activity.ts';
import { tracksErrors } from '../errorTracking/errorTracking.ts';
import { eventStream } from '../../http/responses.ts';
import { findCredential } from '../../http/credentials.ts';
import type { Requirement } from '../../http/authentication.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { forbidden, unauthenticated } from '../../core/errors.ts';
import { isRefusal, WireFailure } from '../../http/wireFailure.ts';
import { isForeignOrigin } from '../../http/hostGuard.ts';
import { requirementOf, type Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { authenticate } from '../authentication/authentication.ts';
import { sentAccessToken } from '../oauth/oauth.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole, type ProjectRole } from '../abilities/abilities.ts';

const MAX_LISTENERS = 100;
/** Interval of the comments that let both sides detect a lost connection, in milliseconds. */
const HEARTBEAT = 15_000;
/** Maximum number of unsent bytes of a slow client. Beyond it the stream ends, and the client gets the missed events when it reconnects. */
const MAX_WAITING_BYTES = 256 * 1024;

/** REST routes with the same data as each kind of occurrence. A listener needs their scopes. */
export type StreamSources = Readonly<Record<NumberedOccurrence['event'], Pick<Route, 'scopes'>>>;

/** Role that REST requires for reading tracked errors. */
const ERROR_ROLE: ProjectRole = 'reporter';
/** Role that REST requires for reading the use of client keys. */
const KEY_ROLE: ProjectRole = 'maintainer';

/** Access of a listener at a given time. */
interface Access {
  includes(occurrence: NumberedOccurrence): boolean;
}

/** Requirements for a token: `any` to open the stream, the others to receive events of that kind. */
type Requirements = Readonly<Record<'any' | NumberedOccurrence['event'], Requirement>>;

/**
 * Server-sent events (HTML standard, Server-sent events) of activity, of errors that appear, reappear, are changed or occur again, of the use
 * of client keys, and of mails, for clients that can read them over REST. Events only identify what changed. `Last-Event-ID` resumes a stream; if the ID is no longer known, the first
 * event is `reset`. Credential, scopes and permissions are checked for each event; the stream ends when the credential becomes invalid.
 */
export function streamRoutes(core: LiveCore, sources: StreamSources): Route[] {
  const scopes = [...new Set(Object.values(sources).flatMap((source) => source.scopes))];
  const requirements = {
    any: requirementOf(scopes),
    activity: requirementOf(sources.activity.scopes),
    error: requirementOf(sources.error.scopes),
    count: requirementOf(sources.count.scopes),
    key: requirementOf(sources.key.scopes),
    mail: requirementOf(sources.mail.scopes),
  };
  return [
    {
      area: 'control',
      method: 'GET',
      path: '/_local/stream',
      body: eventStream,
      specRef: 'Local control',
      status: 'local',
      scopes,
      role: 'user',
      successStatus: 200,
      handle: (context) => listen(core, requirements, context),
    },
  ];
}

/** Responds with a stream that has the missed events first, and then those that happen. */
async function listen(core: LiveCore, requirements: Requirements, context: RequestContext): Promise<HttpResponse> {
  const { live } = core;
  if (isForeignOrigin(context, context.baseUrl)) {
    throw forbidden(undefined, 'pages of other sites must not listen to this server', 'origin');
  }
  const caller = callerOf(core, requirements, context);
  context.noteUser(caller.user.username);
  if (!/\btext\/event-stream\b/.test(context.headers.accept ?? '')) {
    throw refusal(406, 'Accept must name text/event-stream', 'stream.accept');
  }
  if (live.listeners >= MAX_LISTENERS) throw refusal(503, `${MAX_LISTENERS} listen already`, 'stream.listeners');
  const stream = new PassThrough();
  const last = context.headers['last-event-id'];
  if (typeof last === 'string' && last !== '') {
    const missed = live.since(last);
    if (missed === undefined) stream.write('event: reset\ndata: {}\n\n');
    else writeAccessible(stream, missed, accessOf(core, requirements, caller, missed));
  }
  // From here on, no event is missed.
  stream.write(': listening\n\n');
  const next = (occurrences: readonly NumberedOccurrence[]): void => send(core, requirements, context, stream, occurrences);
  const stop = live.follow({ next, end: () => stream.end() });
  const heartbeat = setInterval(() => {
    next([]);
    if (!stream.writableEnded) stream.write(':\n\n');
  }, HEARTBEAT);
  stream.once('finish', stop);
  stream.once('close', () => {
    stop();
    clearInterval(heartbeat);
  });
  return { status: 200, type: 'text/event-stream', headers: { 'Cache-Control': 'no-store' }, stream };
}

/** Sends events to a listener whose credential is still valid, and ends the stream of others and of those that read too slowly. */
function send(
  core: LiveCore,
  requirements: Requirements,
  context: RequestContext,
  stream: PassThrough,
  occurrences: readonly NumberedOccurrence[],
): void {
  try {
    const access = accessOf(core, requirements, callerOf(core, requirements, context), occurrences);
    if (stream.writableLength > MAX_WAITING_BYTES) stream.end();
    else writeAccessible(stream, occurrences, access);
  } catch (error) {
    if (!isRefusal(error)) core.log.error('could not send to a listener of the stream', error);
    stream.end();
  }
}

/** Returns the user of the token of a request. Throws if there is none, or it is no longer valid. */
function callerOf(core: Core, requirements: Requirements, { headers, baseUrl }: RequestContext): Caller {
  const credential = findCredential(headers, {});
  if (credential === undefined) throw unauthenticated('the stream requires a token: PRIVATE-TOKEN or Authorization: Bearer');
  const at = { now: core.clock.now(), baseUrl };
  return authenticate(core, credential, requirements.any, at, sentAccessToken(core, credential));
}

/** Returns what the caller can see of the events. */
function accessOf(
  core: LiveCore,
  requirements: Requirements,
  caller: Caller,
  occurrences: readonly NumberedOccurrence[],
): Access {
  const { credential } = caller;
  const allows = (kind: NumberedOccurrence['event']): boolean =>
    credential.kind !== 'session' && credential.scopes.some((scope) => requirements[kind].scopes.includes(scope));
  const projects = cached((projectId) => findProject(core, projectId, caller));
  const activity = cached((projectId) => {
    const found = projects(projectId);
    return found === undefined ? new Set<number>() : visibleActivity(core, found, caller, activityIds(occurrences, projectId));
  });
  const errors = cached((projectId) => mayReadErrors(core, projects(projectId)));
  const keys = cached((projectId) => holds(projects(projectId), KEY_ROLE));
  return {
    includes: (occurrence) => {
      if (!allows(occurrence.event)) return false;
      switch (occurrence.event) {
        case 'activity':
          return activity(occurrence.projectId).has(occurrence.activityId);
        case 'error':
        case 'count':
          return errors(occurrence.projectId);
        case 'key':
          return keys(occurrence.projectId);
        case 'mail':
          return occurrence.userId === caller.user.id;
      }
    },
  };
}

function mayReadErrors(core: Core, found: FoundProject | undefined): boolean {
  return holds(found, ERROR_ROLE) && tracksErrors(core, found.project.id);
}

function holds(found: FoundProject | undefined, role: ProjectRole): found is FoundProject {
  return found !== undefined && holdsRole(found.access, role);
}

function activityIds(occurrences: readonly NumberedOccurrence[], projectId: number): number[] {
  return occurrences.flatMap((occurrence) =>
    occurrence.event === 'activity' && occurrence.projectId === projectId ? [occurrence.activityId] : [],
  );
}

function cached<T>(make: (id: number) => T): (id: number) => T {
  const known = new Map<number, { readonly value: T }>();
  return (id) => {
    const found = known.get(id) ?? { value: make(id) };
    known.set(id, found);
    return found.value;
  };
}

function writeAccessible(stream: PassThrough, occurrences: readonly NumberedOccurrence[], access: Access): void {
  for (const occurrence of occurrences) if (access.includes(occurrence)) stream.write(textOf(occurrence));
}

function textOf({ id, event, data }: NumberedOccurrence): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function refusal(status: number, reason: string, rule: string): WireFailure {
  return new WireFailure(status, { message: `${status} ${reason}` }, { rule, reason });
}
