import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ActivityEvent, readActivityEvent } from '../contract/activity.ts';
import { integerMember, isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { type ProjectBasic, readProjectBasic } from '../contract/projects.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { SuccessResponse, CachedResponse } from './model.ts';

/** Cached response with the project names of its rows. */
export interface Cached {
  readonly response: CachedResponse;
  readonly projects: readonly ProjectBasic[];
}

/** Latest successful responses on disk, one file per list, so that a view has rows before the network responds. */
export interface ResponseCache {
  /** Returns undefined if there is no readable file. Never rejects. */
  readonly read: (account: string, list: string) => Promise<Cached | undefined>;
  /** Never rejects: without the file, the view only starts empty next time. */
  readonly write: (account: string, list: string, response: SuccessResponse, projects: readonly ProjectBasic[]) => Promise<void>;
  /** Removes all files of an account. */
  readonly forget: (account: string) => Promise<void>;
}

/** Maximum size of a file, in bytes; older events beyond it are omitted. Holds about 10,000 events. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of files per account; the least recently written are removed first. */
const MAX_LISTS = 24;
/** Bytes read before the first rows are shown; more than one screen of rows. */
const HEAD_BYTES = 64 * 1024;
/** Number of events parsed before yielding to the event loop. */
const BATCH_SIZE = 500;
const FORMAT_VERSION = 1;

/**
 * Creates the cache. A file has one line of JSON about the response and one for each event, newest first, so that the first rows need
 * only its beginning. Files contain what the views show, and no secrets.
 */
export function createResponseCache(folder: string, log: Log, maxBytes = MAX_BYTES): ResponseCache {
  const writing = new Map<string, Promise<void>>();
  const folderOf = (account: string): string => path.join(folder, hash(account));
  const fileOf = (account: string, list: string): string => path.join(folderOf(account), `${hash(list)}.jsonl`);

  async function read(file: string): Promise<Cached | undefined> {
    const { text, isAll } = await readHead(file);
    const [first = '', ...lines] = (isAll ? text : text.slice(0, text.lastIndexOf('\n') + 1)).split('\n');
    const header = parseJson(first);
    if (!isJsonObject(header) || header.form !== FORMAT_VERSION) return undefined;
    const at = integerMember(header, 'at');
    if (at === undefined) return undefined;
    const events = eventsOf(lines);
    const all = async (): Promise<readonly ActivityEvent[]> => (isAll ? events : readAll(file, first, events));
    const projects = Array.isArray(header.projects) ? header.projects.map(readProjectBasic) : [];
    return {
      response: { at, events, next: stringMember(header, 'next'), all },
      projects: projects.filter((project) => project !== undefined),
    };
  }

  /** Returns all events, or only the first ones if the file was replaced meanwhile: the feed then has a newer response. */
  async function readAll(file: string, first: string, head: readonly ActivityEvent[]): Promise<readonly ActivityEvent[]> {
    try {
      const [header, ...lines] = (await readFile(file, 'utf8')).split('\n');
      if (header !== first) return head;
      const events: ActivityEvent[] = [];
      for (let at = 0; at < lines.length; at += BATCH_SIZE) {
        events.push(...eventsOf(lines.slice(at, at + BATCH_SIZE)));
        await setImmediate();
      }
      return events;
    } catch (error) {
      log.debug(`Activity cache: ${messageOf(error)}`);
      return head;
    }
  }

  async function write(
    account: string,
    file: string,
    response: SuccessResponse,
    projects: readonly ProjectBasic[],
  ): Promise<void> {
    const lines: string[] = [];
    let size = 0;
    for (const event of response.events) {
      const line = JSON.stringify(event);
      size += Buffer.byteLength(line) + 1;
      if (size > maxBytes) break;
      lines.push(line);
    }
    const isWhole = lines.length === response.events.length;
    const header = {
      form: FORMAT_VERSION,
      at: response.at,
      ...(isWhole ? { next: response.next } : {}),
      projects: projects.map(storedProject),
    };
    const owner = folderOf(account);
    await mkdir(owner, { recursive: true, mode: 0o700 });
    const draft = path.join(owner, `${randomUUID()}.draft`);
    try {
      await writeFile(draft, `${[JSON.stringify(header), ...lines].join('\n')}\n`, { mode: 0o600 });
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await dropOldest(owner);
  }

  return {
    read: async (account, list) => {
      try {
        return await read(fileOf(account, list));
      } catch (error) {
        if (!isMissing(error)) log.warn(`Activity cache: ${messageOf(error)}`);
        return undefined;
      }
    },
    write: (account, list, response, projects) => {
      const file = fileOf(account, list);
      // Writes are sequential, so that the latest response remains.
      const done = (writing.get(file) ?? Promise.resolve())
        .then(() => write(account, file, response, projects))
        .catch((error: unknown) => log.warn(`Activity cache: ${messageOf(error)}`));
      writing.set(file, done);
      return done;
    },
    forget: async (account) => {
      await Promise.all(writing.values());
      await rm(folderOf(account), { recursive: true, force: true });
    },
  };
}

function eventsOf(lines: readonly string[]): readonly ActivityEvent[] {
  return lines
    .map((line) => (line === '' ? undefined : readActivityEvent(parseJson(line))))
    .filter((event) => event !== undefined);
}

async function readHead(file: string): Promise<{ readonly text: string; readonly isAll: boolean }> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, HEAD_BYTES, 0);
    const isAll = bytesRead < HEAD_BYTES;
    return { text: buffer.toString('utf8', 0, bytesRead), isAll };
  } finally {
    await handle.close();
  }
}

async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_LISTS) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { file, at: (await stat(file)).mtimeMs };
    }),
  );
  const old = files.sort((one, other) => other.at - one.at).slice(MAX_LISTS);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}

/** Returns the members of a project that rows show. */
function storedProject({
  id,
  name,
  path_with_namespace,
  name_with_namespace,
  web_url,
}: ProjectBasic): Readonly<Record<string, unknown>> {
  return { id, name, path_with_namespace, name_with_namespace, web_url };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
