import type { DatabaseEditor } from '../../store/editing.ts';

/**
 * Gives the discussions of the demo data random IDs. Creates the temporary table `discussions`, which maps the placeholder of each to its
 * `id`.
 */
export function renameDiscussions(editor: DatabaseEditor): void {
  editor.execute(
    `CREATE TEMP TABLE discussions (placeholder TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID;
     INSERT INTO discussions SELECT DISTINCT discussion_id, lower(hex(randomblob(20))) FROM notes GROUP BY discussion_id;
     UPDATE notes SET discussion_id = (SELECT id FROM discussions WHERE placeholder = notes.discussion_id)`,
  );
}
