import { deviceCodes } from '../../server/oauth/support.ts';
import { registerFor } from './applications.ts';
import { browser, formExample } from './browser.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

/** Returns the id of a flow that a client has just started. */
async function flowId({ server, fresh }: Fixture): Promise<string> {
  await deviceCodes(server, { client_id: registerFor(server, fresh('app')) });
  return server.platform.flows.list(server.platform.clock.now())[0]?.id ?? '';
}

export const localExamples: Examples = {
  'GET /_local/health': () => ({}),
  'GET /_local/clock': () => ({ token: admin }),
  'POST /_local/clock': () => ({ token: admin, params: { advance_seconds: 1 } }),
  'GET /_local/profile': () => ({ token: admin }),
  'PUT /_local/profile': () => ({ token: admin, params: { release: '18.11' } }),
  'GET /_local/requests': () => ({ token: admin, params: { limit: 5 } }),
  'GET /_local/oauth/flows': async (fixture) => {
    await flowId(fixture);
    return { token: admin };
  },
  'GET /_local/oauth/flows/:id': async (fixture) => ({ token: admin, path: { id: await flowId(fixture) } }),
  'GET /_local/oauth': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /_local/oauth/:id': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { id: await flowId(fixture) },
  }),
  'GET /_local/stream': () => ({ token: admin, headers: { Accept: 'text/event-stream' } }),
  'POST /_local/sign-in-links': () => ({ token: admin, params: { username: 'root', return_to: '/' } }),
  'GET /_local/snapshots': async ({ server, fresh }) => {
    await server.platform.snapshots?.take(fresh('kept'));
    return { token: admin };
  },
  'POST /_local/snapshots': ({ fresh }) => ({ token: admin, params: { name: fresh('snapshot') } }),
  'POST /_local/restore': async ({ server, fresh }) => {
    const name = fresh('restored');
    await server.platform.snapshots?.take(name);
    return { token: admin, params: { name } };
  },
  'POST /_local/reset': () => ({ token: admin, params: { seed: 'none' } }),
  'GET /_local/log': ({ server }) => {
    server.platform.log.info('an example is sent');
    return { token: admin, params: { limit: 5 } };
  },
  'POST /_local/seeds': ({ fresh }) => ({
    token: admin,
    params: { name: 'seed.yaml', text: `users: [{username: ${fresh('planted')}}]` },
  }),
  'GET /_local/storages': () => ({ token: admin }),
  'GET /_local/storage-moves': () => ({ token: admin }),
  'PUT /_local/storage-moves': () => ({ token: admin, params: { step_seconds: 0 } }),
  'POST /_local/shutdown': () => ({ token: admin }),
  'GET /api/v4/deprecations': () => ({ params: { release: '20.0' } }),
  'GET /api/v4/deprecated_calls': ({ server: { platform } }) => {
    const client = { username: '', userAgent: 'lamp-board/1.0', oauthTokenId: undefined };
    platform.deprecatedCalls.add({
      ...client,
      deprecation: 'password-grant',
      at: platform.clock.now(),
      request: 'POST /oauth/token',
    });
    return { token: admin, params: { release: '20.0', all: true } };
  },
  'POST /api/v4/deprecations/what_if': async ({ server }) => {
    await server.request('GET', '/api/v4/user', { token: admin });
    return { token: admin, params: { release: '20.0' } };
  },
  'POST /help/deprecations/what_if': async (fixture) =>
    formExample(await browser(fixture), '/help/deprecations', '/help/deprecations/what_if'),
  'DELETE /api/v4/deprecated_calls': () => ({ token: admin }),
  'GET /help/deprecations': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /help/deprecations/:id': () => ({ path: { id: 'password-grant' } }),
  'GET /api/v4/version': () => ({ token: admin }),
  'GET /api/v4/metadata': () => ({ token: admin }),
  'GET /api/v4/application/plan_limits': () => ({ token: admin, params: { plan_name: 'default' } }),
  'PUT /api/v4/application/plan_limits': () => ({ token: admin, params: { plan_name: 'default', ci_pipeline_schedules: 0 } }),
  'GET /api/v4/application/settings': () => ({ token: admin }),
  'PUT /api/v4/application/settings': ({ server: { platform } }) => {
    // A limit that an earlier request has set would refuse this one.
    platform.store.run("DELETE FROM instance_settings WHERE name LIKE 'throttle%'");
    platform.changes.publish({ kind: 'settingsChanged', attributes: [] });
    return { token: admin, params: { ropc_without_client_credentials: false } };
  },
  'POST /api/graphql': () => ({
    token: admin,
    params: {
      query: 'query Everything($path: ID!) { currentUser { username } project(fullPath: $path) { name } }',
      variables: { path: 'nobody/nothing' },
      operationName: 'Everything',
    },
  }),
  'GET /api/v4/openapi.json': () => ({}),
  'GET /help/api': () => ({ params: { q: 'issues', method: 'GET' } }),
  'GET /help/api/endpoints/:operation': () => ({ path: { operation: 'get_api_v4_version' } }),
  'POST /help/api/endpoints/:operation': async (fixture) => {
    const address = '/help/api/endpoints/get_api_v4_version';
    return { ...(await formExample(await browser(fixture), address, address)), path: { operation: 'get_api_v4_version' } };
  },
  'GET /assets/pages/:file': () => ({ path: { file: 'page.css' } }),
  'GET /': () => ({}),
  'GET /explore/projects': () => ({}),
  'GET /explore/groups': () => ({}),
  'GET /dashboard/projects': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /dashboard/groups': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
};
