import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';

const detailMembers = () => ({
  event_name: z.string(),
  author_name: z.string(),
  author_class: z.string(),
  author_email: z.string().nullable(),
  target_id: z.int(),
  target_type: z.string(),
  target_details: z.string(),
  custom_message: z.string(),
  ip_address: z.string().nullable(),
  entity_path: z.string(),
});

/** Details of an event. The form depends on the action. */
export const auditEventDetails = named('AuditEventDetails', () => {
  const members = detailMembers();
  return z.union([
    z.strictObject(members),
    z.strictObject({ add: z.string(), as: z.string().exactOptional(), ...members }),
    z.strictObject({ remove: z.string(), ...members }),
    z.strictObject({ remove: z.string(), system_event: z.literal(true), reason: z.string(), ...members }),
    z.strictObject({ change: z.string(), from: z.string(), to: z.string(), ...members }),
    z.strictObject({ failed_login: z.string(), ...members }),
  ]);
});

const eventMembers = () => ({
  id: id(),
  // -1 for the system.
  author_id: z.int(),
  entity_id: z.int(),
  event_name: z.string(),
  details: auditEventDetails(),
  created_at: moment(),
});

/** An audit event. Events of the whole instance repeat some of their details. */
export const auditEvent = named('AuditEvent', () =>
  z.union([
    z.strictObject({ ...eventMembers(), entity_type: z.enum(['User', 'Group', 'Project']) }),
    z.strictObject({
      ...eventMembers(),
      entity_type: z.literal('Gitlab::Audit::InstanceScope'),
      ip_address: z.string().nullable(),
      author_name: z.string(),
      entity_path: z.string(),
      target_details: z.string(),
      target_type: z.string(),
      target_id: z.int(),
      event_type: z.string(),
    }),
  ]),
);
