import path from 'node:path';
import { isJsonObject, parseJson } from '../../src/contract/json.ts';
import { appliedSeed } from '../seeds/seedResponse.ts';
import { createClock } from '../core/clock.ts';
import { createPlatform, endPlatform } from '../createPlatform.ts';
import { createLog } from '../core/log.ts';
import { defaultProfile } from '../core/profile.ts';
import type { AppliedSeed } from '../seeds/seeds.ts';
import { VERSION } from '../core/version.ts';
import type { SeedCommand } from './command.ts';
import { DATABASE, defaultDataFolder } from './dataFolder.ts';
import { openDatabase } from './database.ts';
import { Fatal } from '../core/fatal.ts';
import { createProgress } from './progress.ts';
import { apply, readSeedFile, refusedSeed } from './seedFile.ts';
import { ownFolder } from './folderLock.ts';
import type { ProcessMetadata } from './serve.ts';
import { finishReplacement } from '../snapshots/snapshots.ts';
import { startFailure, worded } from './startFailures.ts';

/** Applies a seed file to a running server, or to a folder that is not in use. Throws Fatal. */
export async function seed(command: SeedCommand, metadata: ProcessMetadata): Promise<AppliedSeed> {
  const text = readSeedFile(command.file, metadata.write);
  if (command.server !== undefined) return send(command.server, command.file, text, metadata);
  const log = createLog(command.logLevel, metadata.write);
  const folder = path.resolve(command.dataDir ?? defaultDataFolder(metadata.env, metadata.platform));
  const progress = createProgress(false, metadata.write, log);
  const lock = await ownFolder(folder, metadata, log, progress);
  if ('kind' in lock) return send(lock.origin, command.file, text, metadata);
  const file = path.join(folder, DATABASE);
  try {
    finishReplacement(file);
    const store = worded(
      () => openDatabase({ folder, file, nativeBinding: metadata.nativeBinding, now: createClock().systemNow(), log }),
      file,
    );
    const platform = createPlatform({
      store,
      profile: defaultProfile,
      log,
      version: VERSION,
      mediaDir: metadata.root,
      dataFolder: folder,
      git: { program: 'git', env: metadata.env },
    });
    try {
      return await apply(platform, command.file, text, metadata.write, progress);
    } finally {
      endPlatform(platform);
    }
  } catch (error) {
    throw startFailure(error, folder);
  } finally {
    lock.release();
  }
}

/** Sends the file to a running server. */
async function send(origin: string, file: string, text: string, metadata: ProcessMetadata): Promise<AppliedSeed> {
  if (metadata.adminToken === undefined) {
    throw new Fatal(
      'server_unreachable',
      `The server at ${origin} requires its admin token to accept a seed file.`,
      'Set SIGNALBOX_ADMIN_TOKEN to the token, or stop the server and try again.',
    );
  }
  let received: { readonly status: number; readonly body: unknown };
  try {
    const response = await fetch(`${origin}/_local/seeds`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${metadata.adminToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: file, text }),
      redirect: 'manual',
    });
    received = { status: response.status, body: parseJson(await response.text()) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Fatal(
      'server_unreachable',
      `The server at ${origin} does not respond (${cause}).`,
      'Start it, or choose another server with --server.',
    );
  }
  const { status, body } = received;
  const applied = appliedSeed().safeParse(body);
  if (status === 201 && applied.success) return applied.data;
  const validationErrors = errorsOf(body);
  if (status === 400 && validationErrors !== undefined) throw refusedSeed(validationErrors, metadata.write);
  throw new Fatal(
    'server_unreachable',
    `The server at ${origin} did not accept the seed file (status ${status}).`,
    status === 401
      ? 'SIGNALBOX_ADMIN_TOKEN is not the admin token of this server.'
      : 'It may run another version of Signalbox. See its log for the cause.',
  );
}

function errorsOf(body: unknown): string[] | undefined {
  const message = isJsonObject(body) ? body['message'] : undefined;
  const lines = isJsonObject(message) ? message['seed'] : undefined;
  return Array.isArray(lines) ? lines.map(String) : undefined;
}
