import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { integerMember, isJsonObject, parseJson, stringMember } from '../contract/json.ts';

/** A token that was created for a terminal and has to be revoked. The token itself is not stored. */
export interface TerminalTokenRecord {
  /** Account key. */
  readonly account: string;
  /** ID of the personal access token on the instance. */
  readonly id: number;
  /** Milliseconds since the epoch after which the token is invalid in any case. */
  readonly expiresAt: number;
  /** Process of the window with the terminal. */
  readonly process: number;
}

/**
 * Records of the tokens of open terminals, one file per token. Files, unlike the global state of VS Code, belong to one machine, as processes
 * do, and windows do not overwrite each other's.
 */
export interface TerminalTokenRecords {
  readonly add: (record: TerminalTokenRecord) => Promise<void>;
  readonly remove: (record: TerminalTokenRecord) => Promise<void>;
  /** Returns all records, including those of other windows. */
  readonly all: () => Promise<readonly TerminalTokenRecord[]>;
}

export function createTerminalTokenRecords(folder: string): TerminalTokenRecords {
  const fileOf = ({ account, id }: TerminalTokenRecord): string =>
    path.join(folder, `${createHash('sha256').update(`${account} ${id}`).digest('hex').slice(0, 32)}.json`);

  return {
    add: async (record) => {
      await mkdir(folder, { recursive: true });
      await writeFile(fileOf(record), JSON.stringify(record), { mode: 0o600, flush: true });
    },
    remove: (record) => rm(fileOf(record), { force: true }),
    all: async () => {
      const names = await readdir(folder).catch(() => []);
      const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8').catch(() => '')));
      return texts.map((text) => readRecord(parseJson(text))).filter((record) => record !== undefined);
    },
  };
}

function readRecord(value: unknown): TerminalTokenRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const account = stringMember(value, 'account');
  const [id, expiresAt, owner] = [integerMember(value, 'id'), integerMember(value, 'expiresAt'), integerMember(value, 'process')];
  if (account === undefined || id === undefined || expiresAt === undefined || owner === undefined) return undefined;
  return { account, id, expiresAt, process: owner };
}
