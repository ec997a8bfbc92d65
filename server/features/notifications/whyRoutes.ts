import { notificationEvents, type NotificationEvent } from '../../../src/contract/notifications.ts';
import { isoTime } from '../../core/clock.ts';
import { findGroup } from '../groups/groups.ts';
import { forbidden, nothingFound, recordNotFound } from '../../core/errors.ts';
import { linkUrl, nextLink, pageParameters, readOffsetResponse } from '../../http/pagination.ts';
import { integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route, type SignedInRequest, userRoute } from '../../http/route.ts';
import { type Caller, isAdministrator } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { targetTypes } from './event.ts';
import { notificationEvent, recipientDecision } from './responses.ts';
import {
  decisionOf,
  decisionsAfter,
  type ExplainedDecision,
  type ExplainedDecisions,
  findEvent,
  possibilityOf,
  possibleDecision,
  possibleDecisionsAfter,
  readableBy,
  statusOf,
} from './why.ts';
import { countEvents, type EventWithTarget, listEvents } from './whyStore.ts';

const metadata = { specRef: 'Notification decisions', status: 'local', method: 'GET' } as const;

type Request = SignedInRequest<unknown>;

const showEventsParameters = () => ({
  project_id: string(),
  group_id: string(),
  event: oneOf<NotificationEvent>(notificationEvents)(),
  target_type: oneOf(targetTypes)(),
  target_iid: integer(),
  ...pageParameters(),
});

const showDecisionsParameters = () => ({ id: required(integer), user_id: integer(), id_after: integer() });

const showPossibleDecisionsParameters = () => ({
  event: required(oneOf<NotificationEvent>(notificationEvents)),
  project_id: string(),
  group_id: string(),
  target_type: oneOf(targetTypes)(),
  target_iid: integer(),
  actor_id: integer(),
  user_id: integer(),
  id_after: integer(),
});

/** Returns the routes that explain who is mailed about events. The paths are listed in `src/contract/notificationDecisions.ts`. */
export function whyRoutes(core: Core): Route[] {
  return [
    userRoute(
      { ...metadata, path: '/api/v4/notification_events', body: listOf(notificationEvent), params: showEventsParameters },
      (request) => showEvents(core, request),
    ),
    userRoute(
      {
        ...metadata,
        path: '/api/v4/notification_events/:id',
        key: 'id',
        body: notificationEvent,
        params: () => ({ id: required(integer) }),
      },
      (request) => presenterOf(core, request)(eventOf(core, request.caller, request.params.id)),
    ),
    userRoute(
      {
        ...metadata,
        path: '/api/v4/notification_events/:id/decisions',
        key: 'id',
        body: listOf(recipientDecision),
        pages: { by: 'keyset', because: 'recipients are found one after the other, so that their number is unknown' },
        params: showDecisionsParameters,
      },
      (request) => showDecisions(core, request),
    ),
    userRoute(
      {
        ...metadata,
        path: '/api/v4/notification_decisions',
        body: listOf(recipientDecision),
        pages: { by: 'keyset', because: 'recipients are found one after the other, so that their number is unknown' },
        params: showPossibleDecisionsParameters,
      },
      (request) => showPossibleDecisions(core, request),
    ),
  ];
}

async function showEvents(core: Core, request: SignedInRequest<ParametersOf<typeof showEventsParameters>>): Promise<RawResponse> {
  const { params, caller } = request;
  const filter = {
    ...readableBy(caller),
    ...containerFilter(core, caller, params),
    event: params.event,
    targetType: params.target_type,
    targetIid: params.target_iid,
  };
  const list = {
    count: (cap: number) => countEvents(core.store, filter, cap),
    rows: (limit: number, offset: number) => listEvents(core.store, filter, limit, offset),
  };
  return new RawResponse(await readOffsetResponse(request, params, list, presenterOf(core, request)));
}

function showDecisions(core: Core, request: SignedInRequest<ParametersOf<typeof showDecisionsParameters>>): RawResponse {
  const { caller, params } = request;
  const event = eventOf(core, caller, params.id);
  const userId = aboutWhom(core, caller, params.user_id);
  if (userId === undefined) return listResponse(core, request, decisionsAfter(core, event, params.id_after ?? 0));
  return listResponse(core, request, { decisions: [decisionOf(core, event, userId)], next: null });
}

function showPossibleDecisions(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof showPossibleDecisionsParameters>>,
): RawResponse {
  const { caller, params } = request;
  const userId = aboutWhom(core, caller, params.user_id);
  const possibility = possibilityOf(core, caller, {
    event: params.event,
    project: params.project_id,
    group: params.group_id,
    targetType: params.target_type,
    targetIid: params.target_iid,
    actorId: params.actor_id,
  });
  if (userId === undefined) {
    return listResponse(core, request, possibleDecisionsAfter(core, possibility, params.id_after ?? 0));
  }
  const decision = possibleDecision(core, possibility, userId);
  if (decision === undefined) throw recordNotFound('no such user');
  return listResponse(core, request, { decisions: [decision], next: null });
}

function eventOf(core: Core, caller: Caller, id: number): EventWithTarget {
  const event = findEvent(core, id, caller);
  if (event === undefined) throw nothingFound('no such event, or its target is not visible to the caller');
  return event;
}

/**
 * Returns the user whom a request is about; undefined for everybody, which only administrators can ask.
 *
 * @throws {Forbidden} if others ask about another user, `NotFound` if there is no such user.
 */
function aboutWhom(core: Core, caller: Caller, userId: number | undefined): number | undefined {
  if (isAdministrator(caller)) {
    if (userId !== undefined && findUser(core, userId) === undefined) throw recordNotFound('no such user');
    return userId;
  }
  if (userId === undefined || userId === caller.user.id) return caller.user.id;
  throw forbidden(undefined, 'only administrators can see decisions about other users', 'notification.decisions');
}

/** Returns the project and group that events are limited to. @throws {NotFound} if the caller cannot see them. */
function containerFilter(
  core: Core,
  caller: Caller,
  params: { readonly project_id?: string | undefined; readonly group_id?: string | undefined },
): { readonly projectId?: number; readonly groupId?: number } {
  const project = params.project_id === undefined ? undefined : findProject(core, params.project_id, caller);
  const group = params.group_id === undefined ? undefined : findGroup(core, params.group_id, caller);
  if ((params.project_id !== undefined && project === undefined) || (params.group_id !== undefined && group === undefined)) {
    throw recordNotFound('no such project or group, or it is not visible to the caller');
  }
  return {
    ...(project === undefined ? {} : { projectId: project.project.id }),
    ...(group === undefined ? {} : { groupId: group.group.id }),
  };
}

function presenterOf(core: Core, { baseUrl }: Request): (row: EventWithTarget) => ResponseOf<typeof notificationEvent> {
  const person = peopleOf(core, baseUrl);
  return (row) => ({
    id: row.id,
    event: row.event,
    status: statusOf(row),
    actor: person(row.actor_id),
    project_id: row.project_id,
    group_id: row.group_id,
    target_type: row.target_type,
    target_id: row.target_id,
    target_iid: row.target_iid,
    target_title: row.target_title,
    created_at: isoTime(row.created_at),
    web_url: `${baseUrl}/-/notifications/why?event_id=${row.id}`,
  });
}

/** Returns decisions with a link to the next part. */
function listResponse(core: Core, request: Request, { decisions, next }: ExplainedDecisions): RawResponse {
  const person = peopleOf(core, request.baseUrl);
  const present = ({ userId, mailId, ...explanation }: ExplainedDecision) => ({
    ...explanation,
    user: person(userId),
    mail_id: mailId,
  });
  const headers = next === null ? {} : { Link: nextLink(linkUrl(request, { id_after: next })) };
  return new RawResponse(jsonResponse(200, decisions.map(present), headers));
}
