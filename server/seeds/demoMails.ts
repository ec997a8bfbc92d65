// The mails of the demo data contain values that must differ between servers.

/** SQL condition for mails whose message ID is random. */
export const hasRandomMessageId = "message_id NOT GLOB '*[^0-9a-f]*' AND length(message_id) = 32";

/** Returns the SQL that renames the discussions in the headers of mails. `select` finds the new name; the old one follows it. */
export function renameDiscussionsOfMails(select: string): string {
  const header = `'$.headers."X-GitLab-Discussion-ID"'`;
  return `UPDATE mail_contents SET data = json_set(data, ${header}, (${select} = data ->> ${header})) WHERE data ->> ${header} IS NOT NULL`;
}
