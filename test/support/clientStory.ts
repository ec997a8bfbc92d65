// Runs a scenario of a third-party program that signs in by OAuth. The program prints lines of JSON that request actions of a user or of
// the clock, which are performed here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { testEnvironment } from './environment.ts';
import { openBrowser } from './host/browser.ts';
import { type Person, personOn } from './host/person.ts';
import { type RunningPlatform, startPlatform } from './host/platform.ts';

/** Limit for a whole scenario, in milliseconds. */
const LIMIT = 100_000;

export type Dialect = 'documented' | 'observed';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Runs a program against a server of each dialect in parallel, with a user in a real browser. The program's environment contains `ORIGIN`
 * and, as `APPLICATIONS`, a public and a confidential application. A line `{"action": …}` requests an action and is followed by a line on its
 * standard input when the action is done; a line `{"results": …}` reports all results. `expected` returns all expected results.
 */
export async function runInBothDialects(program: Program, expected: (dialect: Dialect) => unknown): Promise<void> {
  await using browser = await openBrowser();
  const scenario = async (dialect: Dialect): Promise<void> => {
    const platform = await startPlatform('none', ['--dialect', dialect]);
    try {
      assert.deepEqual(await resultsOf(program, platform, await personOn(browser, platform, 'root')), expected(dialect));
    } finally {
      await platform.close();
    }
  };
  const ends = await Promise.allSettled([scenario('documented'), scenario('observed')]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function resultsOf(program: Program, platform: RunningPlatform, person: Person): Promise<unknown> {
  const applications = {
    public: await register(platform, { name: 'Lamp clock', confidential: false }),
    confidential: await register(platform, { name: 'Lamp board', confidential: true }),
  };
  const child = spawn(program.command, program.args, {
    env: testEnvironment([], { ORIGIN: platform.origin, APPLICATIONS: JSON.stringify(applications) }),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(LIMIT),
    killSignal: 'SIGKILL',
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(`ended with ${code ?? signal ?? ''}`));
  });
  let results: unknown;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const message: unknown = JSON.parse(line);
      if (typeof message === 'object' && message !== null && 'results' in message) {
        results = message.results;
        continue;
      }
      await perform(message as Action, platform, person);
      child.stdin.write('\n');
    }
    assert.equal(await ended, 'ended with 0', text);
    return results;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

type Action =
  | { readonly action: 'approve' | 'deny' | 'visit'; readonly address: string; readonly user_code?: string }
  | { readonly action: 'pass'; readonly seconds: number };

async function perform(action: Action, platform: RunningPlatform, person: Person): Promise<void> {
  if (action.action === 'pass') {
    await platform.advance(action.seconds);
  } else if (action.action === 'visit') {
    await person.visit(action.address);
  } else if (action.user_code === undefined) {
    await person.authorize(action.address, action.action);
  } else {
    await person.connectDevice(action.address, action.user_code, action.action);
  }
}

/** Registers an application with a loopback redirect URI. */
async function register(platform: RunningPlatform, input: { readonly name: string; readonly confidential: boolean }) {
  const scopes = 'openid profile email read_user';
  const response = await fetch(`${platform.origin}/api/v4/applications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...input, redirect_uri: 'http://127.0.0.1/callback', scopes }),
  });
  assert.equal(response.status, 201);
  const { application_id: client_id, secret } = (await response.json()) as { application_id: string; secret: string | null };
  return { client_id, client_secret: secret };
}
