import type { DatabaseEditor } from '../../store/editing.ts';

/** Adds milliseconds to the times of the audit events whose time is that of an error. */
export function moveAuditEventsOfErrors(editor: DatabaseEditor, shift: number): void {
  editor.run(
    `UPDATE audit_events SET created_at = created_at + $shift
     WHERE event_name IN ('error_tracking_error_status_updated', 'error_tracking_source_map_created')`,
    { shift },
  );
}

/** Computes the time spans of the blocks of audit events. */
export function fillAuditEventBlocks(editor: DatabaseEditor): void {
  editor.execute('INSERT INTO audit_event_blocks SELECT id >> 10, min(created_at), max(created_at) FROM audit_events GROUP BY 1');
}

/** Replaces a public client key in the audit event of its creation. */
export function renameAuditedClientKey(editor: DatabaseEditor, placeholder: string, key: string): void {
  editor.run(
    `UPDATE audit_events SET details = replace(details, $placeholder, $key)
     WHERE event_name = 'error_tracking_client_key_created'`,
    { placeholder, key },
  );
}
