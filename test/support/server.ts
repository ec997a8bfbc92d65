import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openApiOfRoutes } from '../../scripts/openApi.ts';
import { createApp } from '../../server/app.ts';
import { createLog } from '../../server/core/log.ts';
import type { BodyBudget } from '../../server/http/bodyBudget.ts';
import { restFailure } from '../../server/http/failures.ts';
import { isRefusal } from '../../server/http/wireFailure.ts';
import type { Route } from '../../server/http/route.ts';
import type { Platform, Replacement } from '../../server/platform.ts';
import { defaultProfile, type Profile } from '../../server/core/profile.ts';
import { createPlatform, endPlatform } from '../../server/createPlatform.ts';
import type { PackLimits } from '../../server/repositories/packLimits.ts';
import { migrate } from '../../server/store/migrate.ts';
import { openStore, type Store } from '../../server/store/open.ts';
import { VERSION } from '../../server/core/version.ts';
import { testEnvironment } from './environment.ts';
import { onceARun } from './onceARun.ts';
import { createResponseValidator } from './responses.ts';
import { contentsOf, createSecrets, collectSecrets } from './secrets.ts';

export interface TestServerOptions {
  readonly profile?: Partial<Profile>;
  readonly allowPlainPkce?: boolean;
  /** Database file; in memory by default. */
  readonly file?: string;
  /** Content of another server's database, which is opened in memory instead of an empty one. It gets its own instance ID. */
  readonly database?: Buffer;
  readonly publicUrl?: string;
  /** Folder of snapshots; without it none can be taken. */
  readonly dataFolder?: string;
  /** Registry from which the dependency proxy pulls. */
  readonly dependencyProxyUpstream?: string;
  /** Limits of pushed packs; those of the product if omitted. */
  readonly packLimits?: PackLimits;
  /** Folders of further repository storages by name. */
  readonly storages?: Readonly<Record<string, string>>;
  /** True to run without the generated API description, like a server from source. */
  readonly withoutDescription?: boolean;
  /** Receives the log lines. */
  readonly log?: (line: string) => void;
  /** Registration token of the instance for runners. */
  readonly runnerRegistrationToken?: string;
  /** System clock of the server. */
  readonly systemNow?: () => number;
  /** Maximum delay before events are counted, in milliseconds; the product's default if omitted. */
  readonly countingPause?: number;
  /** Limits on the total size of request bodies. */
  readonly bodyBudget?: BodyBudget;
  /** Program to run instead of git. */
  readonly git?: string;
  /** Called with every response of a route, including refusals. */
  readonly onResponse?: (route: Route, status: number, body: string) => void;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /**
   * Returns the body as JSON.
   *
   * @throws SyntaxError if the body is not JSON.
   */
  json(): unknown;
}

export interface TestRequest {
  readonly token?: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  readonly platform: Platform;
  /** Personal access token of root with every scope; it also authorizes /_local. */
  readonly adminToken: string;
  /** Sends one request without following redirects. `path` may be an absolute address. */
  request(method: string, path: string, options?: TestRequest): Promise<TestResponse>;
  /** Stops the server, searches everything it stored for the secrets it returned, and throws if a response did not match its schema. */
  close(): Promise<void>;
}

export const TEST_ADMIN_TOKEN = 'test-admin-token-0123456789abcdef';
const gitEnvironment = testEnvironment(['git']);
const mediaDir = path.join(import.meta.dirname, '../../media');

let described: unknown;
/** Returns the API description that the build would generate. */
function describedRoutes(): unknown {
  described ??= JSON.parse(onceARun('openapi.json', () => Buffer.from(JSON.stringify(openApiOfRoutes(VERSION)))).toString());
  return described;
}

/** Returns the file of an empty database with the newest schema. The migrations run once, not for each of a thousand servers. */
function emptyDatabase(): Buffer {
  return onceARun('empty.sqlite', () => {
    const connection = new Database(':memory:');
    connection.pragma('foreign_keys = ON');
    migrate(connection);
    const bytes = connection.serialize();
    connection.close();
    return bytes;
  });
}

/** Only a server of `serve` replaces its data. This one stays as it is, as it does when it is told to shut down. */
const unchanged: Replacement = {
  restore: async () => ({ instanceId: 'unchanged', savedAs: 'before-restore-2026-06-01T12-00-00Z' }),
  reset: async () => ({ instanceId: 'unchanged', savedAs: 'before-reset-2026-06-01T12-00-00Z' }),
};

/** Creates a platform with its own database, without a server. End it with `endPlatform`. */
export function createTestPlatform(options: TestServerOptions = {}): Platform {
  const { file, database } = options;
  if (file !== undefined && !existsSync(file)) writeFileSync(file, emptyDatabase());
  const store = openStore(file ?? database ?? emptyDatabase());
  if (database !== undefined) store.run('UPDATE instance SET instance_id = $id', { id: randomUUID() });
  return createPlatform({
    store,
    profile: { ...defaultProfile, ...options.profile },
    ...(options.allowPlainPkce === undefined ? {} : { allowPlainPkce: options.allowPlainPkce }),
    log: createLog(options.log === undefined ? 'error' : 'debug', options.log ?? ((line) => process.stderr.write(line))),
    version: VERSION,
    mediaDir,
    ...(options.withoutDescription === true ? {} : { openApi: describedRoutes }),
    adminToken: TEST_ADMIN_TOKEN,
    runnerRegistrationToken: options.runnerRegistrationToken,
    dataFolder: options.dataFolder,
    replacement: unchanged,
    dependencyProxyUpstream: options.dependencyProxyUpstream,
    ...(options.packLimits === undefined ? {} : { packLimits: options.packLimits }),
    ...(options.storages === undefined ? {} : { storages: new Map(Object.entries(options.storages)) }),
    git: { program: options.git ?? 'git', env: gitEnvironment },
    ...(options.systemNow === undefined ? {} : { systemNow: options.systemNow }),
    ...(options.bodyBudget === undefined ? {} : { bodyBudget: options.bodyBudget }),
    ...(options.countingPause === undefined ? {} : { countingPause: options.countingPause }),
  });
}

/** Starts a complete server in this process, with a database in memory, a free port and a silent log. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const lines: string[] = [];
  const platform = createTestPlatform({
    ...options,
    log: (line) => {
      lines.push(line);
      if (options.log !== undefined) options.log(line);
      else if (line.startsWith('error: ')) process.stderr.write(line);
    },
  });
  const responses = createResponseValidator();
  const { onResponse } = options;
  const observe = (route: Route): Route => {
    const validated = responses.validated(route);
    return onResponse === undefined ? validated : withResponseCallback(validated, onResponse);
  };
  const server = createApp(platform, { publicUrl: options.publicUrl, observe });
  const secrets = createSecrets();
  secrets.add('admin token', TEST_ADMIN_TOKEN);
  collectSecrets(server, secrets);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  let isClosed = false;
  const close = async (): Promise<void> => {
    platform.schedule.stop();
    platform.live.end();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    if (isClosed) return;
    isClosed = true;
    platform.inbox.flush();
    platform.ingestStats.flush();
    const rows = options.file === undefined ? [...rowsOf(platform.store)] : [];
    endPlatform(platform);
    secrets.assertAbsentFrom('the database', options.file === undefined ? rows : contentsOf(path.dirname(options.file)));
    secrets.assertAbsentFrom('the request log', JSON.stringify(platform.requestLog.list(500)));
    secrets.assertAbsentFrom('the log', lines.join(''));
    responses.assertAllValid();
  };
  return {
    origin,
    platform,
    adminToken: TEST_ADMIN_TOKEN,
    request: (method, target, request = {}) => {
      const { form, json } = request;
      for (const values of [form, json])
        if (typeof values === 'object' && values !== null) secrets.addRequestValues({ ...values });
      secrets.addPath(target.split('?', 1)[0] ?? '');
      return send(target.startsWith('http') ? target : `${origin}${target}`, method, request);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function withResponseCallback(route: Route, onResponse: NonNullable<TestServerOptions['onResponse']>): Route {
  return {
    ...route,
    handle: async (context) => {
      try {
        const response = await route.handle(context);
        onResponse(route, response.status, response.body?.toString() ?? '');
        return response;
      } catch (error) {
        const failure = isRefusal(error) ? restFailure(error) : undefined;
        if (failure !== undefined) onResponse(route, failure.status, JSON.stringify(failure.body ?? ''));
        throw error;
      }
    },
  };
}

/** Yields the rows of a database as text, one table at a time. Empty tables are skipped because preparing a query for each takes long. */
function* rowsOf(store: Store): Generator<string> {
  const filled = new Set(
    store.all<{ name: string }>('SELECT name FROM dbstat WHERE aggregate = TRUE AND ncell > 0').map(({ name }) => name),
  );
  for (const { name } of store.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
    if (!filled.has(name)) continue;
    const rows = store.all<Readonly<Record<string, unknown>>>(`SELECT * FROM "${name}"`);
    yield rows.flatMap((row) => Object.values(row).map(textOf)).join('\n');
  }
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

async function send(url: string, method: string, request: TestRequest): Promise<TestResponse> {
  const headers = new Headers(request.headers);
  if (request.token !== undefined) headers.set('Authorization', `Bearer ${request.token}`);
  let body: string | undefined;
  if (request.json !== undefined) {
    headers.set('Content-Type', 'application/json');
    body = JSON.stringify(request.json);
  } else if (request.form !== undefined) {
    headers.set('Content-Type', 'application/x-www-form-urlencoded');
    body = typeof request.form === 'string' ? request.form : new URLSearchParams(request.form).toString();
  }
  const response = await fetch(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  const text = response.headers.get('content-type') === 'text/event-stream' ? await beginningOf(response) : await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => {
      const value: unknown = JSON.parse(text);
      return value;
    },
  };
}

/** Returns the first chunk of a response that streams for as long as it is read. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first?.value ?? '';
}
