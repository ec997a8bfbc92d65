import { isJsonObject, parseJson } from '../../../src/contract/json.ts';
import { isoTime } from '../../core/clock.ts';
import { wholeInstance } from './rules.ts';
import type { AuditRow } from './store.ts';

/** Details that events of the whole instance repeat outside of `details`. */
const REPEATED = ['ip_address', 'author_name', 'entity_path', 'target_details', 'target_type', 'target_id'] as const;

export function presentAuditEvent(row: AuditRow): Readonly<Record<string, unknown>> {
  const details = parseJson(row.details);
  const { id, author_id, entity_id, entity_type, event_name } = row;
  const event = { id, author_id, entity_id, entity_type, event_name, details, created_at: isoTime(row.created_at) };
  if (entity_type !== wholeInstance.type || !isJsonObject(details)) return event;
  return { ...event, ...Object.fromEntries(REPEATED.map((name) => [name, details[name]])), event_type: event_name };
}
