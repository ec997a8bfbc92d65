import { randomBytes } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import { type Log, type Mask, messageOf } from '../support/log.ts';

/**
 * The admin token of the server of one data folder: 64 hex characters, made on first use and kept in the secret storage, so that every
 * window that shares the folder has it.
 */
export function createAdminToken(secrets: SecretStorage, dataFolder: string, mask: Mask, log: Log): () => Promise<string> {
  const key = `local/adminToken/${dataFolder}`;
  let token: Promise<string> | undefined;

  async function readOrMake(): Promise<string> {
    try {
      const stored = await secrets.get(key);
      if (stored !== undefined && /^[0-9a-f]{64}$/.test(stored)) return stored;
    } catch (error) {
      log.error(`The editor's secret storage could not be read: ${messageOf(error)}`);
    }
    const made = randomBytes(32).toString('hex');
    mask.hide(made);
    try {
      await secrets.store(key, made);
    } catch (error) {
      log.error(
        `The editor's secret storage refused the token of the local server, which lasts for this window: ${messageOf(error)}`,
      );
    }
    return made;
  }

  return async () => {
    token ??= readOrMake();
    const value = await token;
    mask.hide(value);
    return value;
  };
}
