import { isJsonObject, parseJson } from '../../../src/contract/json.ts';
import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { auditEvent, auditEventDetails } from './responses.ts';
import { wholeInstance } from './rules.ts';
import type { AuditRow } from './store.ts';

type Details = ResponseOf<typeof auditEventDetails>;

export function presentAuditEvent(row: AuditRow): ResponseOf<typeof auditEvent> {
  const { id, author_id, entity_id, entity_type, event_name } = row;
  const details = detailsOf(row);
  const event = { id, author_id, entity_id, entity_type, event_name, details, created_at: isoTime(row.created_at) };
  if (entity_type !== wholeInstance.type) return { ...event, entity_type };
  const { ip_address, author_name, entity_path, target_details, target_type, target_id } = details;
  // Events of the whole instance repeat some of their details.
  const repeated = { ip_address, author_name, entity_path, target_details, target_type, target_id };
  return { ...event, entity_type, ...repeated, event_type: event_name };
}

/** Returns the details of a row as they were written, whose members keep their order. */
function detailsOf({ id, details: text }: AuditRow): Details {
  const details = parseJson(text);
  if (!isDetails(details)) throw new Error(`the details of audit event ${id} are not readable`);
  return details;
}

/**
 * Returns true for the details that every action has. Only `writeAuditEvent` writes rows, so the details of the action are as its type says;
 * comparing each row with the schema would take longer than all else of a list.
 */
function isDetails(value: unknown): value is Details {
  return isJsonObject(value) && typeof value['event_name'] === 'string' && typeof value['target_id'] === 'number';
}
