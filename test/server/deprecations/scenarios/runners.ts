import assert from 'node:assert/strict';
import { compareReleases } from '../../../../src/contract/releases.ts';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../../server/features/projects/manageProjects.ts';
import { rootOf } from '../../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';
import type { Phase, Scenarios, Stage } from '../stage.ts';

/** Checks the status of a call of a deprecated endpoint, and that it is announced. */
function checkEndpoint({ headers, status, text }: TestResponse, phase: Phase): void {
  assert.equal(status, phase === 'after' ? 410 : 201, text);
  if (phase === 'after') assert.equal(text, '{"message":"410 Gone"}');
  assert.equal(headers.get('deprecation') === null, phase === 'before');
}

/** Creates a runner with the replacement of registration tokens, where the release has it, and signs in as the runner. */
async function checkReplacement({ server, release }: Stage): Promise<void> {
  const json = { runner_type: 'instance_type', tag_list: ['lamps'] };
  const made = await server.request('POST', '/api/v4/user/runners', { token: server.adminToken, json });
  const isKnown = compareReleases(release, '15.11') >= 0;
  assert.equal(made.status, isKnown ? 201 : 404, made.text);
  assert.equal(made.headers.get('deprecation'), null);
  if (!isKnown) return;
  const { id, token } = made.json() as { id: number; token: string };
  assert.match(token, /^glrt-/);
  const verified = await server.request('POST', '/api/v4/runners/verify', { json: { token } });
  assert.equal(verified.status, 200, verified.text);
  assert.equal((verified.json() as { id: number }).id, id);
}

function query(server: TestServer, text: string): Promise<TestResponse> {
  return server.request('POST', '/api/graphql', { token: server.adminToken, json: { query: text } });
}

/** Scenarios of runners and their registration. */
export const runnerScenarios: Scenarios = {
  'runner-registration-token-resets': async (stage) => {
    const { server, phase } = stage;
    const root = rootOf(server.platform);
    const { project } = createProject(server.platform, root, { name: 'Lamps' });
    const { group } = createGroup(server.platform, root, { name: 'Crew', path: 'crew' });
    for (const [container, type] of [
      ['', 'instance_type'],
      [`/projects/${project.id}`, 'project_type'],
      [`/groups/${group.id}`, 'group_type'],
    ] as const) {
      const path = `/api/v4${container}/runners/reset_registration_token`;
      const reset = await server.request('POST', path, { token: server.adminToken });
      checkEndpoint(reset, phase);
      if (phase === 'after') continue;
      const { token } = reset.json() as { token: string };
      const registered = await server.request('POST', '/api/v4/runners', { json: { token } });
      assert.equal(registered.status, 201, registered.text);
      const { id } = registered.json() as { id: number };
      const shown = await server.request('GET', `/api/v4/runners/${id}`, { token: server.adminToken });
      assert.equal((shown.json() as { runner_type: string }).runner_type, type);
    }
    await checkReplacement(stage);
  },
  'runner-registration': async (stage) => {
    const { server, phase } = stage;
    const { project } = createProject(server.platform, rootOf(server.platform), { name: 'Lamps' });
    const shown = await server.request('GET', `/api/v4/projects/${project.id}`, { token: server.adminToken });
    const { runners_token: token } = shown.json() as { runners_token?: string };
    assert.equal(token === undefined, phase === 'after');
    const response = await server.request('POST', '/api/v4/runners', {
      json: {
        token: token ?? 'GR1348941aaaaaaaaaaaaaaaaaaaa',
        locked: true,
        access_level: 'ref_protected',
        run_untagged: false,
        maximum_timeout: 1200,
        paused: true,
        tag_list: ['lamps', 'boats'],
        maintenance_note: 'in the cellar',
      },
    });
    checkEndpoint(response, phase);
    if (phase !== 'after') {
      const { id } = response.json() as { id: number };
      const runner = await server.request('GET', `/api/v4/runners/${id}`, { token: server.adminToken });
      assert.partialDeepStrictEqual(runner.json(), {
        locked: true,
        access_level: 'ref_protected',
        run_untagged: false,
        maximum_timeout: 1200,
        paused: true,
        tag_list: ['lamps', 'boats'],
        maintenance_note: 'in the cellar',
      });
    }
    await checkReplacement(stage);
  },
  'runner-registration-token-variable': async ({ phase, release }) => {
    const token = 'lamps-and-lanterns-42';
    const lines: string[] = [];
    await using server = await startTestServer({
      profile: { release },
      runnerRegistrationToken: token,
      log: (line) => lines.push(line),
    });
    const warning = lines.find((line) => line.includes('SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN'));
    assert.equal(warning === undefined, phase === 'before');
    const effect = phase === 'after' ? /is ignored since release 20\.0/ : /is deprecated and ends with release 20\.0/;
    if (warning !== undefined) assert.match(warning, effect);
    // In the last release with registration tokens it shows that the variable was ignored.
    if (phase === 'after') server.platform.emulation.change({ ...server.platform.profile, release: '19.11' });
    const response = await server.request('POST', '/api/v4/runners', { json: { token } });
    assert.equal(response.status, phase === 'after' ? 403 : 201, response.text);
    await checkReplacement({ server, phase, release });
  },
  'runner-setup-queries': async (stage) => {
    const { server, phase } = stage;
    const platforms = await query(
      server,
      '{ runnerPlatforms { nodes { name architectures { nodes { name downloadLocation } } } } }',
    );
    const setup = await query(
      server,
      '{ runnerSetup(platform: "linux", architecture: "amd64") { installInstructions registerInstructions } }',
    );
    for (const { headers } of [platforms, setup]) assert.equal(headers.get('deprecation') === null, phase === 'before');
    if (phase === 'after') {
      assert.match(platforms.text, /Cannot query field \\"runnerPlatforms\\" on type \\"Query\\"/);
      assert.match(setup.text, /Cannot query field \\"runnerSetup\\" on type \\"Query\\"/);
      return;
    }
    const { data } = platforms.json() as {
      data: { runnerPlatforms: { nodes: { name: string; architectures: { nodes: { name: string }[] } | null }[] } };
    };
    assert.deepEqual(
      data.runnerPlatforms.nodes.map(({ name, architectures }) => [name, architectures?.nodes.map((one) => one.name)]),
      [
        ['linux', ['amd64', '386', 'arm', 'arm64']],
        ['osx', ['amd64', 'arm64']],
        ['windows', ['amd64', '386']],
        ['docker', undefined],
        ['kubernetes', undefined],
      ],
    );
    const { runnerSetup } = (setup.json() as { data: { runnerSetup: Record<string, string> } }).data;
    assert.match(runnerSetup['installInstructions'] ?? '', /gitlab-runner-linux-amd64/);
    assert.match(runnerSetup['registerInstructions'] ?? '', new RegExp(`--url ${server.origin}/ `));
  },
  'runner-registration-token-reset-mutation': async (stage) => {
    const { server, phase, release } = stage;
    const { group } = createGroup(server.platform, rootOf(server.platform), { name: 'Crew', path: 'crew' });
    const reset = await query(
      server,
      `mutation { runnersRegistrationTokenReset(input: { type: GROUP_TYPE, id: "gid://gitlab/Group/${group.id}" }) { token errors } }`,
    );
    assert.equal(reset.headers.get('deprecation') === null, phase === 'before');
    if (phase === 'after')
      assert.match(reset.text, /Cannot query field \\"runnersRegistrationTokenReset\\" on type \\"Mutation\\"/);
    else {
      const { data } = reset.json() as { data: { runnersRegistrationTokenReset: { token: string; errors: string[] } } };
      const { token, errors } = data.runnersRegistrationTokenReset;
      assert.deepEqual(errors, []);
      const registered = await server.request('POST', '/api/v4/runners', { json: { token } });
      assert.equal(registered.status, 201, registered.text);
    }
    await checkReplacement(stage);
    if (compareReleases(release, '15.11') < 0) return;
    const made = await query(
      server,
      'mutation { runnerCreate(input: { runnerType: INSTANCE_TYPE }) { runner { ephemeralAuthenticationToken } errors } }',
    );
    assert.equal(made.headers.get('deprecation'), null);
    const { runner } = (made.json() as { data: { runnerCreate: { runner: Record<string, string> } } }).data.runnerCreate;
    const json = { token: runner['ephemeralAuthenticationToken'] };
    assert.equal((await server.request('POST', '/api/v4/runners/verify', { json })).status, 200);
  },
};
