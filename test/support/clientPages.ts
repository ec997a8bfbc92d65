// Starts a server whose lists all have the same number of rows, behind a gateway that temporarily fails to reach it.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCommit } from '../../server/features/pushes/commits.ts';
import { createGroup } from '../../server/features/groups/manageGroups.ts';
import { findUser } from '../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../server/features/personalTokens/tokens.ts';
import { createIssue } from '../../server/features/issues/manageIssues.ts';
import { createProject } from '../../server/features/projects/manageProjects.ts';
import { person } from './examples.ts';
import { startTestServer } from './server.ts';

/** Number of issues of `root/lamps`, of files in it, of projects, groups and users. */
export const ROWS = 45;

/** Paths that the gateway cannot reach at first. */
const FAILING = ['/api/v4/version', '/api/v4/metadata'];
/** Number of failed responses of the gateway for each of these paths. */
const FAILURES = 2;

export interface Pages extends AsyncDisposable {
  readonly origin: string;
  /** Access token of root. */
  readonly token: string;
  /** Access token of a user without special permissions. */
  readonly plainToken: string;
}

export async function startPages(): Promise<Pages> {
  const failures = new Map<string, number>();
  let target = '';
  const gateway = createServer((incoming, response) => {
    const failed = failures.get(incoming.url ?? '') ?? 0;
    if (FAILING.includes(incoming.url ?? '') && failed < FAILURES) {
      failures.set(incoming.url ?? '', failed + 1);
      response.writeHead(502, { 'content-type': 'text/plain' }).end('The server does not respond.');
    } else {
      forward(incoming, target, response);
    }
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const server = await startTestServer({ publicUrl: origin });
  target = server.origin;
  const { platform } = server;
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('user root is missing');
  const ada = person(server, 'ada');
  const lamps = createProject(platform, root, { name: 'Lamps', visibility: 'public' });
  const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);
  for (const number of numbers) {
    createIssue(platform, lamps, root, { title: `Check lamp ${number}` });
    createGroup(platform, root, { name: `Signals ${number}`, path: `signals-${number}`, visibility: 'public' });
  }
  for (const number of numbers.slice(1)) createProject(platform, root, { name: `Lamp ${number}`, visibility: 'public' });
  for (const number of numbers.slice(2)) person(server, `person${number}`);
  const actions = numbers.map(
    (number) => ({ action: 'create', path: `${number}.txt`, content: Buffer.from(`${number}\n`) }) as const,
  );
  await createCommit(platform, lamps, root, { branch: 'main', message: 'All lamps', actions });
  return {
    origin,
    token: server.adminToken,
    plainToken: issuePersonalToken(platform, ada, { name: 'client', scopes: ['api'], expiresAt: null }).token,
    [Symbol.asyncDispose]: async () => {
      gateway.closeAllConnections();
      await new Promise<void>((resolve) => gateway.close(() => resolve()));
      await server.close();
    },
  };
}

function forward(incoming: IncomingMessage, target: string, response: ServerResponse): void {
  const { method, headers, url } = incoming;
  const outgoing = request(`${target}${url ?? ''}`, { method, headers, agent: false }, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
