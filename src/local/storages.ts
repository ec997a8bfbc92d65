import path from 'node:path';
import * as l10n from '@vscode/l10n';

/** Returns the storages that the value of the setting names. Throws for a folder that is not absolute, because it has no place to be in. */
export function storagesOf(value: unknown): Readonly<Record<string, string>> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  for (const [name, folder] of entries)
    if (typeof folder !== 'string' || !path.isAbsolute(folder))
      throw new Error(l10n.t('The folder of the storage {0} has to be an absolute path.', name));
  return Object.fromEntries(entries);
}
