import type { DatabaseEditor } from '../../store/editing.ts';

// The mails of the demo data contain values that must differ between servers.

/** SQL condition for mails whose message ID is random. */
export const hasRandomMessageId = "message_id NOT GLOB '*[^0-9a-f]*' AND length(message_id) = 32";

/** Renames the discussions in the headers of mails. `select` is SQL that finds the new name; the old one follows it. */
export function renameDiscussionsOfMails(editor: DatabaseEditor, select: string): void {
  const header = `'$.headers."X-GitLab-Discussion-ID"'`;
  editor.execute(
    `UPDATE mail_contents SET data = json_set(data, ${header}, (${select} = data ->> ${header})) WHERE data ->> ${header} IS NOT NULL`,
  );
}

/** Replaces placeholders of message IDs with random ones. */
export function makeMessageIds(editor: DatabaseEditor): void {
  editor.execute("UPDATE mails SET message_id = lower(hex(randomblob(16))) WHERE message_id LIKE 'placeholder-%'");
}
