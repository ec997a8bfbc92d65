import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface QueryResult {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
}

describe('runners in GraphQL', () => {
  let server: TestServer;
  let ada: Actor;
  let dev: Actor;
  let crew: FoundGroup;
  let lamps: FoundProject;

  before(async () => {
    server = await startTestServer({ profile: { release: '18.0' } });
    const { platform } = server;
    [ada, dev] = [actor(platform, 'ada'), actor(platform, 'dev')];
    crew = createGroup(platform, ada.user, { name: 'Crew', path: 'crew', visibility: 'public' });
    lamps = projectWith(platform, ada, { name: 'Lamps' }, [[dev, 30]]);
  });
  after(() => server.close());

  const query = async (text: string, token?: string): Promise<QueryResult> => {
    const response = await server.request('POST', '/api/graphql', {
      ...(token === undefined ? {} : { token }),
      json: { query: text },
    });
    return response.json() as QueryResult;
  };
  const messages = async (text: string, token?: string): Promise<readonly string[]> =>
    ((await query(text, token)).errors ?? []).map(({ message }) => message);
  const REFUSED =
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

  it('pages through the platforms in both directions', async () => {
    const names = async (args: string): Promise<unknown> =>
      (await query(`{ runnerPlatforms${args} { nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } }`)).data[
        'runnerPlatforms'
      ];
    const first = await names('(first: 2)');
    assert.partialDeepStrictEqual(first, {
      nodes: [{ name: 'linux' }, { name: 'osx' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const { endCursor } = (first as { pageInfo: { endCursor: string } }).pageInfo;
    assert.partialDeepStrictEqual(await names(`(first: 1, after: "${endCursor}")`), {
      nodes: [{ name: 'windows' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    assert.partialDeepStrictEqual(await names(`(last: 1, before: "${endCursor}")`), { nodes: [{ name: 'linux' }] });
    assert.partialDeepStrictEqual(await names('(last: 1)'), { nodes: [{ name: 'kubernetes' }] });
    assert.equal((await messages('{ runnerPlatforms(after: "lamp") { nodes { name } } }')).length, 1);
  });

  it('explains the set-up of known platforms and architectures only', async () => {
    const setup = (platform: string, architecture: string): string =>
      `{ runnerSetup(platform: "${platform}", architecture: "${architecture}") { installInstructions registerInstructions } }`;
    const { data } = await query(setup('docker', 'any'));
    const { installInstructions, registerInstructions } = data['runnerSetup'] as Record<string, string | null>;
    assert.match(installInstructions ?? '', /^https:/);
    assert.equal(registerInstructions, null);
    assert.deepEqual(await messages(setup('amiga', 'm68k')), ['Invalid OS']);
    assert.deepEqual(await messages(setup('linux', 'm68k')), ['Architecture not found for OS']);
  });

  it('resets registration tokens only for those who manage the runners', async () => {
    const reset = (input: string): string => `mutation { runnersRegistrationTokenReset(input: { ${input} }) { token errors } }`;
    const ofProject = reset(`type: PROJECT_TYPE, id: "gid://gitlab/Project/${lamps.project.id}"`);
    const ofGroup = reset(`type: GROUP_TYPE, id: "gid://gitlab/Group/${crew.group.id}"`);
    const ofInstance = reset('type: INSTANCE_TYPE');
    for (const text of [ofProject, ofGroup, ofInstance]) assert.deepEqual(await messages(text, dev.token), [REFUSED]);
    assert.deepEqual(await messages(ofInstance, ada.token), [REFUSED]);
    for (const [text, token] of [
      [ofProject, ada.token],
      [ofGroup, ada.token],
      [ofInstance, server.adminToken],
    ] as const) {
      const { data } = await query(text, token);
      assert.match((data['runnersRegistrationTokenReset'] as { token: string }).token, /^GR1348941/);
    }
    const both = reset(`type: INSTANCE_TYPE, id: "gid://gitlab/Group/${crew.group.id}"`);
    assert.deepEqual(await messages(both, server.adminToken), ["id must not be specified for 'instance_type' scope"]);
    assert.deepEqual(await messages(reset('type: GROUP_TYPE, id: "lamp"'), ada.token), [
      '"lamp" does not represent an instance of Group',
    ]);
  });

  it('creates runners, and reports errors of their values in the payload', async () => {
    const create = (input: string): string =>
      `mutation { runnerCreate(input: { ${input} }) { errors runner { id runnerType tagList paused status ephemeralAuthenticationToken } } }`;
    const scope = `runnerType: PROJECT_TYPE, projectId: "gid://gitlab/Project/${lamps.project.id}"`;
    const { data } = await query(create(`${scope}, tagList: ["red"], paused: true`), ada.token);
    const payload = data['runnerCreate'] as { readonly runner: { readonly ephemeralAuthenticationToken: string } };
    assert.partialDeepStrictEqual(payload, {
      errors: [],
      runner: { runnerType: 'PROJECT_TYPE', tagList: ['red'], paused: true, status: 'NEVER_CONTACTED' },
    });
    const json = { token: payload.runner.ephemeralAuthenticationToken };
    assert.equal((await server.request('POST', '/api/v4/runners/verify', { json })).status, 200);
    const short = await query(create(`${scope}, maximumTimeout: 1`), ada.token);
    assert.deepEqual(short.data['runnerCreate'], {
      errors: ['Maximum timeout needs to be at least 10 minutes'],
      runner: null,
    });
    assert.deepEqual(await messages(create(scope), dev.token), [REFUSED]);
    assert.deepEqual(await messages(create('runnerType: INSTANCE_TYPE'), ada.token), [REFUSED]);
  });
});
