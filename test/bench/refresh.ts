import { mkdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import path from 'node:path';
import Database from 'better-sqlite3';
import { createApplication } from '../../server/features/oauth/oauth.ts';
import { issueTokens } from '../../server/features/oauth/tokens.ts';
import { startTestServer, TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import {
  checkSameWork,
  type Limit,
  loadBy,
  median,
  postForm,
  type Ratio,
  ratio,
  rounded,
  roundsUntilSure,
  startSubject,
  type Subject,
} from './harness.ts';
import { slower, slowness } from './slowness.ts';

const MAX_ROUNDS = 41;
/** Length of a round, in seconds. Many short rounds spread other load on the machine over both sides. */
const ROUND = 0.7;
const WARM_UP = 3;
/** Number of refreshed tokens by server. */
const refreshed = new Map<Subject, number>();
const LIMIT: Limit = { atMost: 0.3 };
const CONNECTIONS = 16;

/** Compares refreshing tokens at the token endpoint with oidc-provider on SQLite: processor time per request. */
export async function refresh(): Promise<Ratio> {
  using folder = temporaryFolder();
  const [ours, theirs] = [path.join(folder.path, 'signalbox'), path.join(folder.path, 'oidc-provider')];
  for (const each of [ours, theirs]) mkdirSync(each);
  const prepared = await prepare(path.join(ours, 'signalbox.sqlite'));
  const server = await startSubject(
    [...slower({ factor: slowness() }), path.join(DIST, 'server.js'), 'serve', '--data', ours, '--log-level', 'error'],
    {
      SIGNALBOX_ADMIN_TOKEN: TEST_ADMIN_TOKEN,
    },
  );
  const provider = await startSubject([path.join(import.meta.dirname, 'oidcProviderServer.ts'), theirs, String(CONNECTIONS)]);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const refreshOurs = chain(agent, server, prepared.clientId, prepared.tokens);
    const tokens = JSON.parse(readFileSync(path.join(theirs, 'tokens.json'), 'utf8')) as string[];
    const refreshTheirs = chain(agent, provider, 'bench', tokens);
    const rounds: { readonly ours: number; readonly theirs: number }[] = [];
    const costOf = async (subject: Subject, refreshOne: typeof refreshOurs): Promise<number> =>
      (await loadBy(subject, refreshOne, ROUND, CONNECTIONS, 0)).perRequest;
    await loadBy(server, refreshOurs, 0, CONNECTIONS, WARM_UP);
    await loadBy(provider, refreshTheirs, 0, CONNECTIONS, WARM_UP);
    const ratios = await roundsUntilSure(LIMIT, MAX_ROUNDS, async (index) => {
      const costs = { ours: 0, theirs: 0 };
      if (index % 2 === 0) costs.ours = await costOf(server, refreshOurs);
      costs.theirs = await costOf(provider, refreshTheirs);
      if (index % 2 !== 0) costs.ours = await costOf(server, refreshOurs);
      rounds.push(costs);
      return costs.ours / costs.theirs;
    });
    checkSameWork('stored pairs of tokens', stored(path.join(ours, 'signalbox.sqlite'), 'oauth_tokens'), refreshedBy(server));
    checkSameWork(
      'stored refresh tokens of oidc-provider',
      stored(path.join(theirs, 'oidc-provider.sqlite'), "payloads WHERE model = 'RefreshToken'"),
      refreshedBy(provider),
    );
    return ratio(
      'POST /oauth/token with grant_type=refresh_token',
      'processor time per request, server / oidc-provider with better-sqlite3',
      ratios,
      LIMIT,
      {
        serverMicroseconds: rounded(median(rounds.map((round) => round.ours))),
        oidcProviderMicroseconds: rounded(median(rounds.map((round) => round.theirs))),
      },
    );
  } finally {
    agent.destroy();
    await server.stop();
    await provider.stop();
  }
}

/** Creates a public client, and one sign-in of root with it for each connection. */
async function prepare(file: string): Promise<{ readonly clientId: string; readonly tokens: string[] }> {
  await using filling = await startTestServer({ file });
  const { platform } = filling;
  const { application } = createApplication(platform, { name: 'Bench', scopes: ['api'], confidential: false });
  const tokens = Array.from({ length: CONNECTIONS }, () => {
    const input = { applicationId: application.id, userId: 1, scopes: ['api'], grantType: 'authorization_code' };
    return issueTokens(platform, input, 'bearer', platform.clock.now()).refresh_token ?? '';
  });
  return { clientId: application.uid, tokens };
}

/** Returns a function that refreshes the last token pair of a connection. */
function chain(agent: Agent, subject: Subject, clientId: string, tokens: string[]): (connection: number) => Promise<void> {
  const address = `${subject.origin}/oauth/token`;
  return async (connection) => {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens[connection] ?? '' };
    const { access_token, refresh_token } = await postForm(agent, address, form);
    if (typeof access_token !== 'string' || typeof refresh_token !== 'string' || refresh_token === tokens[connection])
      throw new Error(`${address} returned no new tokens`);
    tokens[connection] = refresh_token;
    refreshed.set(subject, (refreshed.get(subject) ?? 0) + 1);
  };
}

/** Returns how many pairs of tokens a server has issued, with those that were prepared. */
function refreshedBy(subject: Subject): number {
  return CONNECTIONS + (refreshed.get(subject) ?? 0);
}

function stored(file: string, what: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], { readonly n: number }>(`SELECT count(*) AS n FROM ${what}`).get()?.n ?? 0;
  } finally {
    database.close();
  }
}
