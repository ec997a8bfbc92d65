import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testEnvironment } from '../support/environment.ts';
import { DEMO_USER } from '../support/host/platform.ts';
import { selectInstance } from '../support/host/signIn.ts';
import { openContext } from '../support/host/browser.ts';
import { sharedBrowser } from '../support/host/sharedBrowser.ts';
import { openWorkbench } from '../support/host/workbench.ts';
import { CONTAINER } from '../support/host/vscode.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('npm start', () => {
  let data: string;
  let program: ChildProcess | undefined;
  before(() => {
    data = mkdtempSync(path.join(os.tmpdir(), 'signalbox-start-'));
  });
  after(async () => {
    // The test checks how the program exits on a signal; this only makes sure that it does not stay.
    if (program?.exitCode === null && program.signalCode === null) {
      program.kill('SIGTERM');
      await once(program, 'exit');
    }
    rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('npm start opens VS Code with a server whose feed appears after a sign-in, and stops everything on Ctrl-C', async () => {
    program = spawn(process.execPath, [path.join(ROOT, 'scripts', 'start.ts'), '--data', data], {
      env: testEnvironment(['git']),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = await wordsUntil(program, 'Ctrl-C to stop everything');
    const vscode = addressIn(text, 'VS Code');
    const server = addressIn(text, 'Local server');
    const link = addressIn(text, '/users/sign_in_links/');

    const context = await openContext(await sharedBrowser());
    try {
      const person = await context.newPage();
      await person.goto(link);
      await person.getByRole('heading', { level: 1, name: /^Hello, / }).waitFor();
      const workbench = await openWorkbench(context, vscode, CONTAINER);
      const label = new URL(server).host;
      await selectInstance(workbench, label);
      const mine = await workbench.openView('My Activity');
      await mine.clickWelcomeButton('Sign In');
      // The server was handed over, so no password and no approval are needed.
      await workbench.choose('Sign in as a demo user');
      await workbench.choose(DEMO_USER.name);
      await mine.untilRows((rows) => rows.filter(({ level }) => level === 2).length >= 10, 'seeded feed');
      await workbench.openView('OAuth Flows');
    } finally {
      await context.close();
    }

    const exit = once(program, 'exit');
    program.kill('SIGINT');
    assert.deepEqual(await exit, [0, null]);
    for (const address of [vscode, server]) await assert.rejects(fetch(address), `${address} still answers`);
  });
});

/** Returns everything that the program prints until `end`. */
async function wordsUntil(program: ChildProcess, end: string): Promise<string> {
  let text = '';
  const said = Promise.withResolvers<string>();
  for (const stream of [program.stdout, program.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(end)) said.resolve(text);
    });
  }
  program.once('exit', (code) => said.reject(new Error(`npm start exited with ${code}:\n${text}`)));
  const timer = setTimeout(() => said.reject(new Error(`npm start did not print “${end}”:\n${text}`)), 180_000);
  return said.promise.finally(() => clearTimeout(timer));
}

function addressIn(text: string, name: string): string {
  const found = text.split('\n').find((line) => line.includes(name) && line.includes('http://'));
  const address = /http:\S+/.exec(found ?? '')?.[0];
  assert.ok(address !== undefined, `no address of ${name} in:\n${text}`);
  return address;
}
