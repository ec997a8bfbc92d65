import assert from 'node:assert/strict';
import { openApiOf } from '../../../scripts/openApi.ts';
import { routeDefinitions } from '../../../server/app.ts';
import { documentFor } from '../../../server/openApi/document.ts';
import { documentPage } from '../../../server/openApi/page.ts';
import { defaultProfile, type Profile } from '../../../server/core/profile.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { startTestServer } from '../../support/server.ts';

type Member = Readonly<Record<string, unknown>>;

interface Served {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Member>> }>>;
  };
}

describe('deprecations and additions in the OpenAPI document', () => {
  const serve = async (profile: Partial<Profile>): Promise<Served> => {
    await using server = await startTestServer({ profile });
    return (await server.request('GET', '/api/v4/openapi.json')).json() as Served;
  };
  const pageIn = async (profile: Partial<Profile>): Promise<string> => {
    await using server = await startTestServer({ profile });
    return (await server.request('GET', '/help/api')).text;
  };
  const memberOf = ({ components: { schemas } }: Served, name: string): Member | undefined => {
    const found = Object.values(schemas).filter(({ properties }) => properties !== undefined && name in properties);
    return found[0]?.properties[name];
  };
  const marks = { 'x-deprecation': 'ci-job-token-scope-enabled', 'x-deprecated-in': '16.4', 'x-removed-in': '19.0' };

  it('a member of a response is deprecated from the announcement to the removal', async () => {
    const name = 'ci_job_token_scope_enabled';
    assert.deepEqual(memberOf(await serve({ release: '16.3' }), name), { type: 'boolean', ...marks });
    const between = await serve({ release: '18.11' });
    assert.deepEqual(memberOf(between, name), { type: 'boolean', deprecated: true, ...marks });
    assert.match(
      await pageIn({ release: '18.11' }),
      /<code>ci_job_token_scope_enabled<\/code>[^]{0,200}removed in 19\.0; <a href="\/help\/deprecations\/ci-job-token-scope-enabled">deprecated since 16\.4/,
    );
    const projects = (await serve({ release: '19.0' })).components.schemas;
    assert.equal(projects['Project']?.properties[name], undefined);
  });

  it('a parameter is deprecated from the announcement to the removal', async () => {
    const parameterIn = ({ paths }: Served): unknown =>
      (JSON.stringify(paths['/api/v4/projects/{id}']?.['put']?.['requestBody']).match(
        /"ci_job_token_scope_enabled":(\{[^}]*\})/,
      ) ?? [])[1];
    assert.deepEqual(JSON.parse(String(parameterIn(await serve({ release: '18.11' })))), {
      type: 'boolean',
      deprecated: true,
      ...marks,
    });
    assert.equal(parameterIn(await serve({ release: '19.0' })), undefined);
  });

  it('parameters and members of other releases, tiers and offerings are left out', async () => {
    const text = async (profile: Partial<Profile>) => JSON.stringify(await serve(profile));
    const has = async (profile: Partial<Profile>, name: string) => (await text(profile)).includes(`"${name}"`);
    for (const [profile, name, expected] of [
      [{}, 'enterprise_group_id', true],
      [{ tier: 'free' }, 'enterprise_group_id', false],
      [{ release: '17.3' }, 'enterprise_group_id', false],
      [{ release: '18.11' }, 'ropc_without_client_credentials', true],
      [{ release: '17.10' }, 'ropc_without_client_credentials', false],
      [{ release: '19.0' }, 'ropc_without_client_credentials', false],
    ] as const)
      assert.equal(await has(profile, name), expected, `${name} in ${JSON.stringify(profile)}`);
  });

  it('an operation has the marks of its deprecation, and is left out from its removal on', async () => {
    await using server = await startTestServer();
    const [route] = routeDefinitions(server.platform).filter(({ path }) => path === '/api/v4/version');
    assert.ok(route);
    const built = openApiOf([{ ...route, deprecation: 'runner-registration' }], '1');
    const operationIn = (release: Release) => {
      const document = documentFor(built, { ...defaultProfile, release });
      return { operation: document.paths['/api/v4/version']?.['get'], page: documentPage(document).body.toString() };
    };
    const early = operationIn('15.5');
    assert.deepEqual([early.operation?.deprecated, early.operation?.['x-removed-in']], [undefined, '20.0']);
    assert.match(early.page, /since release 15\.1; removed in 20\.0/);
    assert.doesNotMatch(early.page, /deprecated/);
    const between = operationIn('15.6');
    assert.deepEqual([between.operation?.deprecated, between.operation?.['x-deprecated-in']], [true, '15.6']);
    assert.match(between.page, /href="\/help\/deprecations\/runner-registration">deprecated since 15\.6/);
    assert.equal(operationIn('20.0').operation, undefined);
  });

  it('no schema is without use in any release', async () => {
    for (const release of ['15.1', '20.0'] as const) {
      const document = await serve({ release });
      const text = JSON.stringify(document);
      const unused = Object.keys(document.components.schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
      assert.deepEqual(unused, []);
    }
  });
});
