import { currentActor } from '../actor.ts';
import { findUser } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { isAudited } from './eventTypes.ts';
import { type Action, draftsOf, type AuditEntity, type Places, type Target } from './rules.ts';
import { groupNamed, insertAuditEvent, projectNamed } from './store.ts';

export type { AuditEntity as Place } from './rules.ts';

/** Whoever is nobody in particular: the server itself, and people who did not get in. */
const NOBODY = { id: -1, name: '(System)', author_class: 'Gitlab::Audit::UnauthenticatedAuthor', email: null } as const;

/** Writes events of what administrators want to know of, in the transaction that does it. */
export function recordAudit(platform: Platform): void {
  const places = placesOf(platform);
  platform.changes.subscribe((change) => {
    for (const draft of draftsOf(change, places)) {
      if (!isAudited(draft.name, platform.profile)) continue;
      const actor = currentActor();
      writeAuditEvent(platform, {
        ...draft,
        authorId: (draft.authorId === undefined ? actor?.userId : draft.authorId) ?? NOBODY.id,
        address: actor === undefined ? null : plainAddress(actor.address),
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
  /** Now when left out. */
  readonly at?: number | undefined;
}

/** Writes one event as it will be shown: names and addresses of people are those of the moment. Answers its number. */
export function writeAuditEvent(platform: Platform, event: NewAuditEvent): number {
  const user = findUser(platform, event.authorId);
  const author = user === undefined ? NOBODY : { id: user.id, name: user.name, author_class: 'User', email: user.email };
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
  return insertAuditEvent(platform.store, {
    created_at: event.at ?? platform.clock.now(),
    author_id: author.id,
    entity_type: event.entity.type,
    entity_id: event.entity.id,
    event_name: event.name,
    details: JSON.stringify(details),
  });
}

/** Places by number; one that is gone keeps its number as a name. */
export function placesOf(platform: Platform): Places {
  const { store } = platform;
  return {
    user: (id) => {
      const user = findUser(platform, id);
      return { type: 'User', id, name: user?.name ?? String(id), path: user?.username ?? String(id) };
    },
    group: (id) => ({ type: 'Group', id, ...(groupNamed(store, id) ?? { name: String(id), path: String(id) }) }),
    project: (id) => ({ type: 'Project', id, ...(projectNamed(store, id) ?? { name: String(id), path: String(id) }) }),
  };
}

/** IPv4 as such, also where it came over IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
