import type { DatabaseEditor } from '../../store/editing.ts';

/** Writes the hashes of passwords of users of the demo data, by username. */
export function writePasswordHashes(editor: DatabaseEditor, hashes: ReadonlyMap<string, string>): void {
  for (const [username, hash] of hashes)
    editor.run('UPDATE users SET password_hash = $hash WHERE username = $username', { username, hash });
}

export function writeUpdateTime(editor: DatabaseEditor, username: string, now: number): void {
  editor.run('UPDATE users SET updated_at = $now WHERE username = $username', { username, now });
}
