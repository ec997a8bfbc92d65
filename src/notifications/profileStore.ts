import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../contract/json.ts';
import { instanceOfAccount } from '../instances/accountKey.ts';
import { readTimedProfile, type TimedProfile } from './profileRecord.ts';

/**
 * Timed profiles that are on, one file per account. Files, unlike the global state of VS Code, show each window at once what another one
 * has written, so that only one of them restores the earlier settings.
 */
export interface ProfileStore {
  readonly read: (account: string) => Promise<TimedProfile | undefined>;
  /** Replaces the profile of its account. */
  readonly write: (profile: TimedProfile) => Promise<void>;
  readonly remove: (account: string) => Promise<void>;
  /** Removes the profiles of all accounts of an instance. */
  readonly forget: (instance: string) => Promise<void>;
}

export function createProfileStore(folder: string): ProfileStore {
  const fileOf = (account: string): string =>
    path.join(folder, `${createHash('sha256').update(account).digest('hex').slice(0, 32)}.json`);

  async function readFrom(file: string): Promise<TimedProfile | undefined> {
    try {
      return readTimedProfile(parseJson(await readFile(file, 'utf8')));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  return {
    read: (account) => readFrom(fileOf(account)),
    write: async (profile) => {
      await mkdir(folder, { recursive: true });
      const file = fileOf(profile.account);
      const temporary = `${file}.${randomUUID()}`;
      await writeFile(temporary, JSON.stringify(profile), { mode: 0o600, flush: true });
      await rename(temporary, file);
    },
    remove: (account) => rm(fileOf(account), { force: true }),
    forget: async (instance) => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => one.endsWith('.json'))) {
        const file = path.join(folder, name);
        const profile = await readFrom(file);
        if (profile !== undefined && instanceOfAccount(profile.account) === instance) await rm(file, { force: true });
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
