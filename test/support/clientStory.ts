// Runs a scenario of a third-party program that signs in by OAuth. The program prints lines of JSON; what it needs a person or the clock
// for is done here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
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
 * Runs a program against a server of each dialect in parallel, with a person at a real browser. The program's environment contains `ORIGIN`
 * and, as `APPLICATIONS`, a public and a confidential application. A line `{"do": …}` requests an action and is followed by a line on its
 * standard input when the action is done; a line `{"saw": …}` reports a result. `expected` returns all expected results.
 */
export async function runInBothDialects(program: Program, expected: (dialect: Dialect) => unknown): Promise<void> {
  await using browser = await openBrowser();
  const story = async (dialect: Dialect): Promise<void> => {
    const platform = await startPlatform('none', ['--dialect', dialect]);
    try {
      assert.deepEqual(await tell(program, platform, await personOn(browser, platform, 'root')), expected(dialect));
    } finally {
      await platform.close();
    }
  };
  const ends = await Promise.allSettled([story('documented'), story('observed')]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function tell(program: Program, platform: RunningPlatform, person: Person): Promise<unknown> {
  const applications = {
    public: await register(platform, { name: 'Lamp clock', confidential: false }),
    confidential: await register(platform, { name: 'Lamp board', confidential: true }),
  };
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ORIGIN: platform.origin, APPLICATIONS: JSON.stringify(applications) },
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
  let saw: unknown;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const said: unknown = JSON.parse(line);
      if (typeof said === 'object' && said !== null && 'saw' in said) {
        saw = said.saw;
        continue;
      }
      await done(said as Input, platform, person);
      child.stdin.write('\n');
    }
    assert.equal(await ended, 'ended with 0', text);
    return saw;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

type Input =
  | { readonly do: 'approve' | 'deny' | 'visit'; readonly address: string; readonly user_code?: string }
  | { readonly do: 'pass'; readonly seconds: number };

async function done(input: Input, platform: RunningPlatform, person: Person): Promise<void> {
  if (input.do === 'pass') {
    await platform.advance(input.seconds);
  } else if (input.do === 'visit') {
    await person.visit(input.address);
  } else if (input.user_code === undefined) {
    await person.authorize(input.address, input.do);
  } else {
    await person.connectDevice(input.address, input.user_code, input.do);
  }
}

/** Registers an application whose programs receive codes on a port of this machine. */
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
