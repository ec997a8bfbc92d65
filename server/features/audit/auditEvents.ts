import { currentActor } from '../../core/actor.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { isAudited } from './eventTypes.ts';
import { type Action, draftsOf, type AuditEntity, type AuditEntities, type Target } from './rules.ts';
import { groupNamed, insertAuditEvent, projectNamed } from './store.ts';

/** Author of events without a user: changes by the server itself and failed sign-ins. */
const SYSTEM = { id: -1, name: '(System)', author_class: 'Gitlab::Audit::UnauthenticatedAuthor', email: null } as const;

/** Writes audit events of changes, in the transaction of the change. */
export function recordAudit(core: Core): void {
  const entities = auditEntities(core);
  core.changes.subscribe((change) => {
    for (const draft of draftsOf(change, entities)) {
      if (!isAudited(draft.name, core.profile)) continue;
      const actor = currentActor();
      writeAuditEvent(core, {
        ...draft,
        authorId: (draft.authorId === undefined ? actor?.userId : draft.authorId) ?? SYSTEM.id,
        address: actor === undefined ? null : shortAddress(actor.address),
      });
    }
  });
}

export interface NewAuditEvent {
  readonly name: string;
  readonly message: string;
  readonly entity: AuditEntity;
  readonly target: Target;
  readonly action: Action;
  readonly authorId: number;
  readonly address: string | null;
  /** The current time if omitted. */
  readonly at?: number | undefined;
}

/** Writes an event with the current names and email addresses of its users. Returns its ID. */
export function writeAuditEvent(core: Core, event: NewAuditEvent): number {
  const user = findUser(core, event.authorId);
  const author = user === undefined ? SYSTEM : { id: user.id, name: user.name, author_class: 'User', email: user.email };
  const details = {
    ...event.action,
    event_name: event.name,
    author_name: author.name,
    author_class: author.author_class,
    author_email: author.email,
    target_id: event.target.id,
    target_type: event.target.type,
    target_details: event.target.details,
    custom_message: event.message,
    ip_address: event.address,
    entity_path: event.entity.path,
  };
  return insertAuditEvent(core.store, {
    created_at: event.at ?? core.clock.now(),
    author_id: author.id,
    entity_type: event.entity.type,
    entity_id: event.entity.id,
    event_name: event.name,
    details: JSON.stringify(details),
  });
}

/** Returns a lookup of entities by ID. The name of a deleted entity is its ID. */
export function auditEntities(core: Core): AuditEntities {
  const { store } = core;
  return {
    user: (id) => {
      const user = findUser(core, id);
      return { type: 'User', id, name: user?.name ?? String(id), path: user?.username ?? String(id) };
    },
    group: (id) => ({ type: 'Group', id, ...(groupNamed(store, id) ?? { name: String(id), path: String(id) }) }),
    project: (id) => ({ type: 'Project', id, ...(projectNamed(store, id) ?? { name: String(id), path: String(id) }) }),
  };
}

/** Returns an IPv4-mapped IPv6 address as an IPv4 address. */
function shortAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
