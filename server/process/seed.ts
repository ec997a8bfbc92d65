import path from 'node:path';
import { isJsonObject, parseJson } from '../../src/contract/json.ts';
import { plantedSeed } from '../control/answers.ts';
import { createClock } from '../clock.ts';
import { createPlatform, endPlatform } from '../createPlatform.ts';
import { createLog } from '../log.ts';
import { defaultProfile } from '../profile.ts';
import type { Planted } from '../seeds/seeds.ts';
import { VERSION } from '../version.ts';
import type { SeedCommand } from './command.ts';
import { DATABASE, defaultDataFolder } from './dataFolder.ts';
import { openDatabase } from './database.ts';
import { Fatal } from './fatal.ts';
import { createProgress } from './progress.ts';
import { plant, readSeedFile, refusedSeed } from './seedFile.ts';
import { ownFolder } from './folderLock.ts';
import type { ProcessFacts } from './serve.ts';
import { startFailure, worded } from './startFailures.ts';

/** Adds what a seed file holds, to a running server or to a folder that no server has. Throws Fatal with words. */
export async function seed(command: SeedCommand, facts: ProcessFacts): Promise<Planted> {
  const text = readSeedFile(command.file, facts.write);
  if (command.server !== undefined) return send(command.server, command.file, text, facts);
  const log = createLog(command.logLevel, facts.write);
  const folder = path.resolve(command.dataDir ?? defaultDataFolder(facts.env, facts.platform));
  const progress = createProgress(false, facts.write, log);
  const lock = await ownFolder(folder, facts, log, progress);
  if ('kind' in lock) return send(lock.origin, command.file, text, facts);
  const file = path.join(folder, DATABASE);
  try {
    const store = worded(
      () => openDatabase({ folder, file, nativeBinding: facts.nativeBinding, now: createClock().systemNow(), log }),
      file,
    );
    const platform = createPlatform({
      store,
      profile: defaultProfile,
      log,
      version: VERSION,
      mediaDir: facts.root,
      dataFolder: folder,
      git: { program: 'git', env: facts.env },
    });
    try {
      return await plant(platform, command.file, text, facts.write, progress);
    } finally {
      endPlatform(platform);
    }
  } catch (error) {
    throw startFailure(error, folder);
  } finally {
    lock.release();
  }
}

/** Hands the file to a server that runs. */
async function send(origin: string, file: string, text: string, facts: ProcessFacts): Promise<Planted> {
  if (facts.adminToken === undefined) {
    throw new Fatal(
      'server_unreachable',
      `The server at ${origin} takes a seed file with its admin token only.`,
      'Put the token into the environment as SIGNALBOX_ADMIN_TOKEN, or stop the server and try again.',
    );
  }
  let answer: { readonly status: number; readonly body: unknown };
  try {
    const response = await fetch(`${origin}/_local/seeds`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${facts.adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: file, text }),
      redirect: 'manual',
    });
    answer = { status: response.status, body: parseJson(await response.text()) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Fatal(
      'server_unreachable',
      `No server answers at ${origin} (${cause}).`,
      'Start it, or name another one with --server.',
    );
  }
  const { status, body } = answer;
  const planted = plantedSeed().safeParse(body);
  if (status === 201 && planted.success) return planted.data;
  const complaints = complaintsOf(body);
  if (status === 400 && complaints !== undefined) throw refusedSeed(complaints, facts.write);
  throw new Fatal(
    'server_unreachable',
    `The server at ${origin} did not take the seed file (${status}).`,
    status === 401
      ? 'Its admin token is another one than SIGNALBOX_ADMIN_TOKEN.'
      : 'It may be another version of Signalbox; its log has the cause.',
  );
}

function complaintsOf(body: unknown): string[] | undefined {
  const message = isJsonObject(body) ? body['message'] : undefined;
  const lines = isJsonObject(message) ? message['seed'] : undefined;
  return Array.isArray(lines) ? lines.map(String) : undefined;
}
