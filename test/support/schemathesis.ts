// Runs schemathesis against the OpenAPI document of a running server.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { routeDefinitions } from '../../server/app.ts';
import type { Route } from '../../server/http/route.ts';
import { issuePersonalToken } from '../../server/features/personalTokens/tokens.ts';
import { testEnvironment } from './environment.ts';
import { examples, makeFixture, person } from './examples.ts';
import { startTestServer } from './server.ts';
import { emptyStorage } from './examples/storageMoves.ts';

/** Operations that stop the server or move its clock. */
const EXCLUDED = ['/_local/shutdown', '/_local/clock'];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Operations that delete what the examples of other operations use; only their own examples are sent. */
const OWN_EXAMPLES_ONLY = [
  'DELETE /api/v4/projects/{id}',
  'DELETE /api/v4/groups/{id}',
  'POST /api/v4/projects/{id}/archive',
  'PUT /api/v4/projects/{id}/transfer',
  'POST /api/v4/groups/{id}/transfer',
];
/** Maximum share of routes that never return success because other operations have used up their examples: of all routes, and of a sample. */
const MAX_UNSUCCESSFUL = { all: 0.1, sample: 0.5 };
/** Number of spare tokens per example, for the few operations that revoke the token they are called with. */
const SPARE_TOKENS = 20;
const WITHOUT_RESPONSES = '[phases.fuzzing.extra-data-sources]\nresponses = false\n';
const HOOKS = path.join(import.meta.dirname, '../clients/python/schemathesis/hooks.py');

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

export interface SchemathesisRun {
  /** Number of generated requests per operation. */
  readonly examples: number;
  readonly phases: readonly string[];
  readonly seed: number;
  /**
   * True to generate requests from earlier responses, too. This takes half as long again, and the examples already refer to existing data.
   */
  readonly fromResponses: boolean;
  /** Chooses the routes; all by default. */
  readonly choose?: (routes: readonly Route[]) => readonly Route[];
  /** Time limit of the run. */
  readonly milliseconds: number;
}

/**
 * Runs schemathesis; every response must match the document, and none may be a server error. Returns the counts.
 *
 * @throws Error with the output of schemathesis.
 */
export async function runSchemathesis(python: string, run: SchemathesisRun): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
  try {
    const succeeded = new Set<string>();
    await using server = await startTestServer({
      dataFolder: folder,
      storages: emptyStorage,
      onResponse: (route, status) => {
        if (status === route.successStatus) succeeded.add(nameOf(route));
      },
    });
    const fixture = makeFixture(server);
    const { platform, adminToken } = server;
    const plain = person(server, 'grace');
    const tokenOf = (user: typeof plain) =>
      issuePersonalToken(platform, user, { name: 'schema', scopes: ['api'], expiresAt: null });
    const plainToken = tokenOf(plain);
    const examplesByOperation: Record<string, { path: object; params: object }[]> = {};
    const all = routeDefinitions(platform).filter(({ area }) => area === 'api');
    const routes = run.choose?.(all) ?? all;
    const operationOf = ({ method, path: target }: Route): string => `${method} ${target.replaceAll(/:(\w+)/g, '{$1}')}`;
    for (const route of routes) {
      const make = examples[`${route.method} ${route.path}`];
      if (make === undefined) continue;
      const made = await make(fixture);
      // A resource can only be created or deleted once, so each example gets its own data.
      const data = route.method === 'GET' ? [made] : [made, await make(fixture), await make(fixture)];
      examplesByOperation[operationOf(route)] = data.map((example) => ({
        path: { ...example.path },
        params: { ...example.params },
      }));
    }
    succeeded.clear();
    const file = path.join(folder, 'examples.json');
    writeFileSync(
      file,
      JSON.stringify({
        tokens: [adminToken, plainToken.token],
        examples: examplesByOperation,
        reserved: {
          '/api/v4/users/': ['1', 'root', String(plain.id), plain.username],
          '/api/v4/personal_access_tokens/': ['1', String(plainToken.row.id)],
        },
        ownExamplesOnly: OWN_EXAMPLES_ONLY,
        spareTokens: Array.from({ length: SPARE_TOKENS * run.examples }, () => tokenOf(fixture.root).token),
      }),
    );
    if (!run.fromResponses) writeFileSync(path.join(folder, 'schemathesis.toml'), WITHOUT_RESPONSES);
    // One worker, the default: Python 3.11 sometimes fails when two threads parse code at once, and they share one core anyway.
    const command = [
      ...['-m', 'schemathesis.cli', 'run', `${server.origin}/api/v4/openapi.json`],
      ...['--max-examples', String(run.examples), '--phases', run.phases.join(), '--checks', CHECKS.join()],
      ...['--seed', String(run.seed), '--no-shrink', '--continue-on-failure', '--suppress-health-check', 'all'],
      ...(run.choose === undefined ? [] : routes.flatMap((route) => ['--include-name', operationOf(route)])),
      ...['--generation-database', 'none', '--warnings', 'off', ...EXCLUDED.flatMap((excluded) => ['--exclude-path', excluded])],
    ];
    const { code, text } = await runToEnd(python, command, folder, run.milliseconds, {
      EXAMPLES_FILE: file,
      SCHEMATHESIS_HOOKS: HOOKS,
    });
    if (code !== 0) throw new Error(`schemathesis exited with ${code ?? 'a signal'}:\n${text.slice(0, 20_000)}`);
    const generated = /(\d+) generated/.exec(text)?.[0] ?? text;
    const never = routes.map(nameOf).filter((name) => !succeeded.has(name));
    if (never.length > routes.length * MAX_UNSUCCESSFUL[run.choose === undefined ? 'all' : 'sample'])
      throw new Error(`too many routes never returned success: ${never.join(', ')}`);
    return `${generated}, ${routes.length - never.length} of ${routes.length} routes returned success`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runToEnd(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(program, args, {
    cwd,
    env: testEnvironment([], env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, text };
}
