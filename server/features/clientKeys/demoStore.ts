import type { DatabaseEditor } from '../../store/editing.ts';
import { randomPublicKey } from './manageClientKeys.ts';

/** Gives every key a new random value. `renamed` is called with the old and the new value of each. */
export function remakeClientKeys(editor: DatabaseEditor, renamed: (former: string, key: string) => void): void {
  const rows = editor.all<{ readonly id: number; readonly former: string }>(
    'SELECT id, public_key AS former FROM error_tracking_client_keys',
  );
  for (const { id, former } of rows) {
    const key = randomPublicKey();
    editor.run('UPDATE error_tracking_client_keys SET public_key = $key WHERE id = $id', { id, key });
    renamed(former, key);
  }
}
