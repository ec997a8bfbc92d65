// The story of a foreign program that signs in by OAuth: it prints lines of JSON, and what it needs of people and of the time is done here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ServerProcess } from './serverProcess.ts';
import { spawnServer } from './serverProcess.ts';
import { openBrowser } from './host/browser.ts';
import { type Person, personOn } from './host/person.ts';

const ADMIN_TOKEN = 'client-story-token-0123456789';
/** Milliseconds for a whole story. */
const LIMIT = 100_000;

export type Dialect = 'documented' | 'observed';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Runs a program against a server of each dialect, side by side, with a person at a real browser. The program finds in its environment
 * `ORIGIN` and, as `APPLICATIONS`, a public and a confidential application. A line `{"do": …}` asks for something and is answered by a
 * line when it is done; the line `{"saw": …}` is what it has to tell. `expected` is all of that.
 */
export async function inBothDialects(program: Program, expected: (dialect: Dialect) => unknown): Promise<void> {
  await using browser = await openBrowser();
  const story = async (dialect: Dialect): Promise<void> => {
    await using server = await spawnServer(['serve', '--memory', '--dialect', dialect], {
      env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN },
    });
    await using person = await personOn(browser, server.origin, ADMIN_TOKEN, 'root');
    assert.deepEqual(await tell(program, server, person), expected(dialect));
  };
  const ends = await Promise.allSettled([story('documented'), story('observed')]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function tell(program: Program, server: ServerProcess, person: Person): Promise<unknown> {
  const applications = {
    public: await register(server, { name: 'Lamp clock', confidential: false }),
    confidential: await register(server, { name: 'Lamp board', confidential: true }),
  };
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ORIGIN: server.origin, APPLICATIONS: JSON.stringify(applications) },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(LIMIT),
    killSignal: 'SIGKILL',
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words += chunk;
  });
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
      await done(said as Wish, server, person);
      child.stdin.write('\n');
    }
    assert.equal(await ended, 'ended with 0', words);
    return saw;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

type Wish =
  | { readonly do: 'approve' | 'deny' | 'visit'; readonly address: string; readonly user_code?: string }
  | { readonly do: 'pass'; readonly seconds: number };

async function done(wish: Wish, server: ServerProcess, person: Person): Promise<void> {
  if (wish.do === 'pass') {
    await administrate(server, '/_local/clock', { advance_seconds: wish.seconds });
  } else if (wish.do === 'visit') {
    await person.visit(wish.address);
  } else if (wish.user_code === undefined) {
    await person.authorize(wish.address, wish.do);
  } else {
    await person.connectDevice(wish.address, wish.user_code, wish.do);
  }
}

/** An application whose programs wait for codes on a port of this machine. */
async function register(server: ServerProcess, wish: { readonly name: string; readonly confidential: boolean }) {
  const scopes = 'openid profile email read_user';
  const answer = await administrate(server, '/api/v4/applications', {
    ...wish,
    redirect_uri: 'http://127.0.0.1/callback',
    scopes,
  });
  const { application_id: client_id, secret: client_secret } = answer as { application_id: string; secret: string | null };
  return { client_id, client_secret };
}

async function administrate({ origin }: ServerProcess, route: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${origin}${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${route}: ${answer.status} ${text}`);
  const value: unknown = JSON.parse(text);
  return value;
}
