import { stateIn } from '../../../src/contract/deprecations.ts';
import { DAY } from '../../core/clock.ts';
import { groupRoute, findGroup, type FoundGroup } from '../groups/groups.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { invalidParameters, notFound, recordNotFound } from '../../core/errors.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  offsetResponse,
  offsetTooDeep,
  pageParameters,
  readCursor,
} from '../../http/pagination.ts';
import { fallback, integer, oneOf, opaque, required, string, time, type ParametersOf } from '../../http/params.ts';
import { administratorRoute, RawResponse, type Route, type RequestOf } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import { findProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { maximumOffset } from '../settings/settings.ts';
import { auditEvent } from './responses.ts';
import { auditEntities, writeAuditEvent } from './auditEvents.ts';
import { presentAuditEvent } from './present.ts';
import { type AuditEntity, wholeInstance } from './rules.ts';
import { type AuditFilter, type AuditRow, auditEventById, countAuditEvents, listAuditEvents } from './store.ts';

/** Longest time span of a query. */
const MAX_WINDOW = 30 * DAY;
/** Offset pagination, which ends with a release (docs/interface.md#audit-events). */
const OFFSETS = 'audit-event-offsets';

const listParameters = () => ({
  created_after: time(),
  created_before: time(),
  order_by: string(),
  sort: string(),
  pagination: string(),
  cursor: opaque(),
  ...pageParameters(),
});

const rowParameters = () => ({
  event_name: required(string),
  custom_message: required(string),
  author_id: integer(),
  target_id: integer(),
  target_type: string(),
  target_details: string(),
  ip_address: string(),
  created_at: time(),
});

const entityTypes = ['Project', 'User', 'Group', wholeInstance.type] as const;

const tiers: Availability = { tiers: ['premium', 'ultimate'] };

const listing = {
  ...tiers,
  method: 'GET',
  body: listOf(auditEvent),
  specRef: 'Audit events',
  status: 'stated',
  key: 'id',
} as const;

const reading = { ...tiers, method: 'GET', body: auditEvent, specRef: 'Audit events', status: 'inferred', key: 'id' } as const;

const creating = {
  ...tiers,
  method: 'POST',
  body: auditEvent,
  specRef: 'Audit events',
  status: 'local',
  key: 'id',
  authenticateFirst: true,
} as const;

// Users of the hosted offering are never administrators.
const withAdministrators = { offerings: ['self-managed', 'dedicated'] } as const;

const oneId = () => ({ id: required(string), audit_event_id: required(integer) });

const listAllParameters = () => ({ entity_type: oneOf(entityTypes)(), entity_id: integer(), ...listParameters() });

const showAnyParameters = () => ({ id: required(integer) });

const createAnyParameters = () => ({
  entity_type: fallback(wholeInstance.type, oneOf(entityTypes)),
  entity_id: fallback(1, integer),
  ...rowParameters(),
});

const listInParameters = () => ({ id: required(string), ...listParameters() });

const createInParameters = () => ({ id: required(string), ...rowParameters() });

/** Returns the routes of audit events. Administrators can also create events, for tests of their clients. */
export function auditRoutes(): Route[] {
  return [
    administratorRoute(
      {
        ...listing,
        ...withAdministrators,
        path: '/api/v4/audit_events',
        authenticateFirst: true,
        params: listAllParameters,
      },
      listAll,
    ),
    administratorRoute(
      {
        ...reading,
        ...withAdministrators,
        path: '/api/v4/audit_events/:id',
        authenticateFirst: true,
        params: showAnyParameters,
      },
      showAny,
    ),
    administratorRoute(
      {
        ...creating,
        ...withAdministrators,
        path: '/api/v4/audit_events',
        params: createAnyParameters,
      },
      createAny,
    ),
    groupRoute({ ...listing, path: '/api/v4/groups/:id/audit_events', params: listInParameters }, 'developer', listOfGroup),
    groupRoute({ ...reading, path: '/api/v4/groups/:id/audit_events/:audit_event_id', params: oneId }, 'owner', showOfGroup),
    administratorRoute({ ...creating, path: '/api/v4/groups/:id/audit_events', params: createInParameters }, createInGroup),
    projectRoute({ ...listing, path: '/api/v4/projects/:id/audit_events', params: listInParameters }, 'developer', listOfProject),
    projectRoute(
      { ...reading, path: '/api/v4/projects/:id/audit_events/:audit_event_id', params: oneId },
      'maintainer',
      showOfProject,
    ),
    administratorRoute({ ...creating, path: '/api/v4/projects/:id/audit_events', params: createInParameters }, createInProject),
  ];
}

function listAll(request: RequestOf<typeof listAllParameters>) {
  const { entity_type: entityType, entity_id: entityId } = request.params;
  if (entityId !== undefined && entityType === undefined) throw invalidParameters(['entity_type is missing']);
  return list(request, { entityType, entityId });
}

function showAny({ params, context }: RequestOf<typeof showAnyParameters>) {
  return presentAuditEvent(found(auditEventById(context.core.store, params.id)));
}

function createAny(request: RequestOf<typeof createAnyParameters>) {
  const { core } = request.context;
  return write(request, entityOf(core, request.params.entity_type, request.params.entity_id));
}

function listOfGroup(request: RequestOf<typeof listInParameters> & FoundGroup) {
  const { group, access, caller } = request;
  const authorId = holdsRole(access, 'owner') ? undefined : caller.user.id;
  return list(request, { entityType: 'Group', entityId: group.id, authorId });
}

function showOfGroup({ params, group, context }: RequestOf<typeof oneId> & FoundGroup) {
  return presentAuditEvent(found(auditEventById(context.core.store, params.audit_event_id), 'Group', group.id));
}

function createInGroup(request: RequestOf<typeof createInParameters>) {
  const { core } = request.context;
  const group = findGroup(core, request.params.id, request.caller)?.group;
  if (group === undefined) throw notFound('Group');
  return write(request, entityOf(core, 'Group', group.id));
}

function listOfProject(request: ProjectRequest<ParametersOf<typeof listInParameters>>) {
  const { project, access, caller } = request;
  const authorId = holdsRole(access, 'maintainer') ? undefined : caller.user.id;
  return list(request, { entityType: 'Project', entityId: project.id, authorId });
}

function showOfProject({ params, project, context }: ProjectRequest<ParametersOf<typeof oneId>>) {
  return presentAuditEvent(found(auditEventById(context.core.store, params.audit_event_id), 'Project', project.id));
}

function createInProject(request: RequestOf<typeof createInParameters>) {
  const { core } = request.context;
  const project = findProject(core, request.params.id, request.caller)?.project;
  if (project === undefined) throw notFound('Project');
  return write(request, entityOf(core, 'Project', project.id));
}

/**
 * Lists audit events. From release 19.0, all requests use keyset pagination, as announced by GitLab. A request without a page returns the
 * first keyset page, so that clients without pagination keep working. Later pages are refused like offsets that are too deep, because
 * clients would mistake the first page for them.
 */
function list(
  request: RequestOf<typeof listParameters>,
  location: Pick<AuditFilter, 'entityType' | 'entityId' | 'authorId'>,
): RawResponse {
  const { params, now, context } = request;
  const { core } = context;
  const filter = { ...location, ...windowOf(params, now) };
  if (params.pagination !== 'keyset') context.noteDeprecated(OFFSETS);
  const isKeysetOnly = stateIn(OFFSETS, core.profile.release) === 'removed';
  if (params.pagination === 'keyset' || isKeysetOnly) {
    if ((params.order_by ?? 'id') !== 'id' || (params.sort ?? 'desc') !== 'desc') {
      throw keysetUnavailable('keyset pagination of audit events needs order_by=id, sort=desc');
    }
    if (params.pagination !== 'keyset' && params.page > 1) throw offsetTooDeep('AuditEvent', 0);
    const cursor = params.cursor === undefined || params.cursor === '' ? undefined : readCursor(params.cursor, 'id', 'number');
    const rows = listAuditEvents(core.store, filter, { below: cursor?.id, limit: keysetSize(params.per_page) });
    return new RawResponse(keysetResponse(request, 'id', rows, ({ id }) => ({ value: id, id }), presentAuditEvent));
  }
  const limit = maximumOffset(core);
  if (params.page * params.per_page > limit) throw offsetTooDeep('AuditEvent', limit);
  return new RawResponse(
    offsetResponse(
      request,
      params,
      {
        count: (cap) => countAuditEvents(core.store, filter, cap),
        rows: (size, offset) => listAuditEvents(core.store, filter, { limit: size, offset }),
      },
      presentAuditEvent,
    ),
  );
}

function write(request: RequestOf<typeof rowParameters>, entity: AuditEntity): ResponseOf<typeof auditEvent> {
  const { params, caller, context } = request;
  const { core } = context;
  const authorId = params.author_id ?? caller.user.id;
  if (authorId !== -1 && findUser(core, authorId) === undefined) throw notFound('User');
  const id = writeAuditEvent(core, {
    name: params.event_name,
    message: params.custom_message,
    entity,
    target: {
      type: params.target_type ?? entity.type,
      id: params.target_id ?? entity.id,
      details: params.target_details ?? entity.path,
    },
    action: {},
    authorId,
    address: params.ip_address ?? null,
    at: params.created_at,
  });
  return presentAuditEvent(found(auditEventById(core.store, id)));
}

function entityOf(core: Core, type: AuditEntity['type'], id: number): AuditEntity {
  const entities = auditEntities(core);
  if (type === 'User') return entities.user(id);
  if (type === 'Group') return entities.group(id);
  return type === 'Project' ? entities.project(id) : wholeInstance;
}

/** Returns the time span of a query: at most 30 days up to `created_before`, which defaults to now. */
function windowOf(params: ParametersOf<typeof listParameters>, now: number): Pick<AuditFilter, 'after' | 'before'> {
  const before = params.created_before ?? now;
  return { after: Math.max(params.created_after ?? Number.MIN_SAFE_INTEGER, before - MAX_WINDOW), before };
}

function found(row: AuditRow | undefined, type?: AuditEntity['type'], id?: number): AuditRow {
  const isFound = row !== undefined && (type === undefined || (row.entity_type === type && row.entity_id === id));
  if (!isFound) throw recordNotFound('no such audit event in this group, project or instance');
  return row;
}
