import { randomBytes } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import { type Log, type Mask, messageOf } from '../support/log.ts';

/**
 * Returns a function that provides the admin token for the server of a data folder: 64 hexadecimal characters, created on first use and
 * kept in the secret storage, so that all windows with the same folder use the same token.
 */
export function createAdminToken(secrets: SecretStorage, dataFolder: string, mask: Mask, log: Log): () => Promise<string> {
  const key = `local/adminToken/${dataFolder}`;
  let token: Promise<string> | undefined;

  async function readOrCreate(): Promise<string> {
    try {
      const stored = await secrets.get(key);
      if (stored !== undefined && /^[0-9a-f]{64}$/.test(stored)) return stored;
    } catch (error) {
      log.error(`Could not read the admin token of the local server from the secret storage: ${messageOf(error)}`);
    }
    const created = randomBytes(32).toString('hex');
    mask.hide(created);
    try {
      await secrets.store(key, created);
    } catch (error) {
      log.error(
        `Could not save the admin token of the local server in the secret storage. Only this window can use it: ${messageOf(error)}`,
      );
    }
    return created;
  }

  return async () => {
    token ??= readOrCreate();
    const value = await token;
    mask.hide(value);
    return value;
  };
}
