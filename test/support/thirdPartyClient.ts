// Runs a third-party client in a separate program that exchanges lines of JSON: first the results of its walk, then the outcome of each
// call.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { testEnvironment } from './environment.ts';
import type { Call, ThirdPartyClient, Outcome } from './clientTable.ts';

const walked = z.object({
  found: z.array(z.object({ method: z.string(), verb: z.string(), path: z.string() })),
  silent: z.array(z.string()),
});
const outcome = z.union([z.object({ error: z.string() }), z.object({ type: z.string(), decoded: z.unknown().exactOptional() })]);

/**
 * Starts the program, which ends when this object is disposed.
 *
 * @throws Error with the program's output if it ends earlier.
 */
export async function startThirdPartyClient(
  command: string,
  args: readonly string[],
): Promise<ThirdPartyClient & AsyncDisposable> {
  const child = spawn(command, args, { env: testEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      text += message;
      resolve();
    });
    child.once('close', () => resolve());
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await lines.next();
    if (line.done !== true) return JSON.parse(line.value);
    await ended;
    throw new Error(`the program ended: ${text}`);
  };
  const { found, silent } = walked.parse(await next());
  return {
    found,
    silent,
    call: async (call: Call): Promise<Outcome> => {
      child.stdin.write(`${JSON.stringify(call)}\n`);
      return outcome.parse(await next());
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
