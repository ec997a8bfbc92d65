// schemathesis against the OpenAPI document of a running server.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { routeDefinitions } from '../../server/app.ts';
import type { Route } from '../../server/http/route.ts';
import { issuePersonalToken } from '../../server/identity/identity.ts';
import { examples, makeFixture, person } from './examples.ts';
import { startTestServer } from './server.ts';

/** What ends the server, moves its clock, or what all tokens would end with. */
const LEFT_OUT = ['/_local/shutdown', '/_local/clock'];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** What takes away what the examples of other operations are about; it asks for its own examples only. */
const OWN_EXAMPLES_ONLY = [
  'DELETE /api/v4/projects/{id}',
  'DELETE /api/v4/groups/{id}',
  'POST /api/v4/projects/{id}/archive',
  'PUT /api/v4/projects/{id}/transfer',
  'POST /api/v4/groups/{id}/transfer',
];
/** The part of the rows that may never be answered with success: those whose examples the others have used up. */
const MAX_UNSUCCESSFUL = 0.1;
/** How many tokens for each example of the few operations that end the one they come with. */
const SPARE = 20;
const WITHOUT_RESPONSES = '[phases.fuzzing.extra-data-sources]\nresponses = false\n';
const HOOKS = path.join(import.meta.dirname, '../clients/python/schemathesis_hooks.py');

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

export interface SchemathesisRun {
  /** Requests for each operation. */
  readonly examples: number;
  readonly phases: readonly string[];
  readonly seed: number;
  /** Whether it also draws from what it was answered before. That takes half as long again, and the examples know what is there anyway. */
  readonly fromResponses: boolean;
  /** How long it may take. */
  readonly milliseconds: number;
}

/** Runs it; every answer must match the document, and none may be a failure of the server. Throws with its words, or tells its counts. */
export async function runSchemathesis(python: string, run: SchemathesisRun): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
  try {
    const succeeded = new Set<string>();
    await using server = await startTestServer({
      dataFolder: folder,
      answered: (route, status) => {
        if (status === route.successStatus) succeeded.add(nameOf(route));
      },
    });
    const fixture = makeFixture(server);
    const { platform, adminToken } = server;
    const plain = person(server, 'grace');
    const tokenOf = (user: typeof plain) =>
      issuePersonalToken(platform, user, { name: 'schema', scopes: ['api'], expiresAt: null });
    const plainToken = tokenOf(plain);
    const known: Record<string, { path: object; params: object }[]> = {};
    const routes = routeDefinitions(platform).filter(({ area }) => area === 'api');
    for (const route of routes) {
      const make = examples[`${route.method} ${route.path}`];
      if (make === undefined) continue;
      const made = await make(fixture);
      // What is made or taken away is so once.
      const all = route.method === 'GET' ? [made] : [made, await make(fixture), await make(fixture)];
      known[`${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`] = all.map((example) => ({
        path: { ...example.path },
        params: { ...example.params },
      }));
    }
    succeeded.clear();
    const file = path.join(folder, 'known.json');
    writeFileSync(
      file,
      JSON.stringify({
        tokens: [adminToken, plainToken.token],
        examples: known,
        stored: {
          '/api/v4/users/': ['1', 'root', String(plain.id), plain.username],
          '/api/v4/personal_access_tokens/': ['1', String(plainToken.row.id)],
        },
        ownOnly: OWN_EXAMPLES_ONLY,
        spare: Array.from({ length: SPARE * run.examples }, () => tokenOf(fixture.root).token),
      }),
    );
    if (!run.fromResponses) writeFileSync(path.join(folder, 'schemathesis.toml'), WITHOUT_RESPONSES);
    // One worker, which is the default: Python 3.11 fails now and then when two threads parse code at once, and they share one core anyway.
    const command = [
      ...['-m', 'schemathesis.cli', 'run', `${server.origin}/api/v4/openapi.json`],
      ...['--max-examples', String(run.examples), '--phases', run.phases.join(), '--checks', CHECKS.join()],
      ...['--seed', String(run.seed), '--no-shrink', '--continue-on-failure', '--suppress-health-check', 'all'],
      ...['--generation-database', 'none', '--warnings', 'off', ...LEFT_OUT.flatMap((left) => ['--exclude-path', left])],
    ];
    const { code, words: text } = await toEnd(python, command, folder, run.milliseconds, {
      KNOWN: file,
      SCHEMATHESIS_HOOKS: HOOKS,
    });
    if (code !== 0) throw new Error(`schemathesis ended with ${code ?? 'a signal'}:\n${text.slice(0, 20_000)}`);
    const generated = /(\d+) generated/.exec(text)?.[0] ?? text;
    const never = routes.map(nameOf).filter((name) => !succeeded.has(name));
    if (never.length > routes.length * MAX_UNSUCCESSFUL)
      throw new Error(`too many rows were never answered with success: ${never.join(', ')}`);
    return `${generated}, ${routes.length - never.length} of ${routes.length} rows answered with success`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function toEnd(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout: number,
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
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
  return { code, words: text };
}
