import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Store } from '../../../server/store/open.ts';
import type { JsonObject } from '../../../src/contract/json.ts';
import { PageClient } from '../../support/pages.ts';
import type { TestServer } from '../../support/server.ts';
import type { TrackedProject } from './senders.ts';

/** A text that an SDK might send by mistake, and its part that must not be found. */
export type Secret = (unique: string) => readonly [text: string, part: string];

/** `unique` is twenty letters and digits that distinguish the secrets. */
export const secretForms: Readonly<Record<string, Secret>> = {
  'private key': (unique) => [
    `-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B${unique}\n-----END RSA PRIVATE KEY-----`,
    unique,
  ],
  'GitHub token': (unique) => [`ghp_${unique}`, unique],
  'personal access token': (unique) => [`glpat-${unique}`, unique],
  'client key': (unique) => [
    `glet_${Buffer.from(unique).toString('hex').slice(0, 32)}`,
    Buffer.from(unique).toString('hex').slice(0, 32),
  ],
  'AWS access key id': (unique) => [`AKIA${unique.toUpperCase().slice(0, 16)}`, unique.toUpperCase().slice(0, 16)],
  'JSON Web Token': (unique) => [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${unique}`, unique],
  'JSON Web Token behind an underscore': (unique) => [`user_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${unique}`, unique],
  'bearer token': (unique) => [`Bearer ${unique}`, unique],
  'password of an address': (unique) => [`postgres://mia:${unique}@db/`, unique],
  'password of a query': (unique) => [`/x?password=${unique}`, unique],
  'password behind a colon': (unique) => [`password: ${unique}`, unique],
  'password behind an equals sign': (unique) => [`password = ${unique}`, unique],
  'password in JSON': (unique) => [`{"password":"${unique}"}`, unique],
  'password in a printed map': (unique) => [`{ password: '${unique}' }`, unique],
};

/** Texts that only look like secrets. */
export const HARMLESS = 'pinned spinner by author';

/** Functions that put a text into one place of an event. */
export const places: Readonly<Record<string, (text: string) => JsonObject>> = {
  'value of an exception': (value) => ({ exception: [{ type: 'E', value }] }),
  'type of an exception': (type) => ({ exception: [{ type, value: 'x' }] }),
  message: (message) => ({ message, exception: undefined }),
  'parameter of a message': (text) => ({ logentry: { message: 'it says %s', params: [text] } }),
  'message of a breadcrumb': (message) => ({ breadcrumbs: [{ message }] }),
  'data of a breadcrumb': (text) => ({ breadcrumbs: [{ data: { note: text } }] }),
  transaction: (transaction) => ({ transaction }),
  tag: (text) => ({ tags: { note: text } }),
  'name of a tag': (text) => ({ tags: { [text]: 'note' } }),
  release: (release) => ({ release }),
  environment: (environment) => ({ environment }),
  'name of the server': (server_name) => ({ server_name }),
  fingerprint: (text) => ({ fingerprint: [text] }),
  'name of a user': (username) => ({ user: { username } }),
  extra: (text) => ({ extra: { deep: [{ note: text }] } }),
  'name of a context': (text) => ({ contexts: { app: { note: 'x' }, [text]: { note: 'x' } } }),
  module: (text) => ({ modules: { shop: text } }),
  variable: (text) => ({ exception: [{ type: 'E', stacktrace: { frames: [{ function: 'f', vars: { note: text } }] } }] }),
  'line of source': (text) => ({
    exception: [
      { type: 'E', stacktrace: { frames: [{ function: 'f', context_line: `password = "${text.replaceAll(/["\n]/g, ' ')}"` }] } },
    ],
  }),
  'address of a request': (url) => ({ request: { url } }),
  'body of a request': (data) => ({ request: { data } }),
  'a member that nobody reads': (text) => ({ of_tomorrow: [{ note: text }] }),
  'a member named pin': (text) => ({ extra: { pin: text } }),
  'a member of extra that is named like a line of source': (text) => ({ extra: { frames: [{ context_line: text }] } }),
};

/** Returns everything that a server in this process has stored of SDK data and shows of it. */
export async function everythingOf(
  server: TestServer,
  project: TrackedProject,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>(storedIn(server, folder));
  const { token } = project.owner;
  const api = `/api/v4/projects/${project.id}/error_tracking`;
  const read = async (target: string): Promise<string> => {
    const response = await server.request('GET', target, { token });
    assert.equal(response.status, 200, `${target}: ${response.text}`);
    found.set(target, response.text);
    return response.text;
  };
  await read(`${api}/releases`);
  await read(`${api}/arrivals`);
  const client = new PageClient(server);
  await client.signIn(project.owner.user.username);
  const open = async (target: string): Promise<void> => {
    const page = await client.open(target);
    assert.equal(page.status, 200, `${target}: ${page.text}`);
    found.set(target, page.text);
  };
  await open(`/${project.path}/-/error_tracking`);
  await open(`/${project.path}/-/error_tracking.json`);
  const errors = await project.errors();
  for (const { fingerprint } of errors) {
    await read(`${api}/errors/${fingerprint}`);
    await read(`${api}/errors/${fingerprint}/events`);
    await open(`/${project.path}/-/error_tracking/${fingerprint}/details`);
    await open(`/${project.path}/-/error_tracking/${fingerprint}/details.json`);
    await open(`/${project.path}/-/error_tracking/${fingerprint}/stack_trace.json`);
  }
  await read(`${api}/errors?per_page=100`);
  const query = `{ project(fullPath: "${project.path}") { sentryErrors { errors(first: 20) { nodes { title message culprit type } } } } }`;
  const response = await server.request('POST', '/api/graphql', { token, json: { query } });
  assert.match(response.text, /"nodes":/);
  found.set('GraphQL', response.text);
  const log = await server.request('GET', '/_local/requests?limit=500', { token: server.adminToken });
  found.set('the request log', `${log.text}\n${JSON.stringify(server.platform.requestLog.list(500))}`);
  return found;
}

/** Returns the database files, the rows, and the decompressed values. */
export function storedIn(server: TestServer, folder: string): ReadonlyMap<string, string> {
  server.platform.inbox.flush();
  server.platform.ingestStats.flush();
  const found = new Map<string, string>();
  for (const file of readdirSync(folder)) found.set(`file ${file}`, readFileSync(path.join(folder, file), 'latin1'));
  for (const [location, text] of decompressed(server.platform.store)) found.set(location, text);
  return found;
}

const decompressors = [gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync, zstdDecompressSync];

function* decompressed(store: Store): Generator<readonly [place: string, text: string]> {
  for (const { name } of store.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
    const texts: string[] = [];
    for (const row of store.all<Record<string, unknown>>(`SELECT * FROM "${name}"`)) {
      for (const value of Object.values(row)) {
        if (!(value instanceof Uint8Array)) texts.push(String(value));
        else
          texts.push(Buffer.from(value).toString('latin1'), ...decompressors.flatMap((decompress) => attempt(decompress, value)));
      }
    }
    yield [`rows of ${name}`, texts.join('\n')];
  }
}

/** Returns nothing if the bytes are not compressed in this format. */
function attempt(decompress: (bytes: Uint8Array) => Buffer, bytes: Uint8Array): string[] {
  try {
    return [decompress(bytes).toString('utf8')];
  } catch {
    return [];
  }
}
