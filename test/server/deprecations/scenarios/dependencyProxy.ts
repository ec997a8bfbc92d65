import assert from 'node:assert/strict';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { issuePersonalToken } from '../../../../server/features/personalTokens/tokens.ts';
import { pathIn, pullToken, signIn } from '../../dependencyProxy/pulling.ts';
import { digestOf, imageWith, startUpstreamRegistry } from '../../dependencyProxy/upstreamRegistry.ts';
import { actor } from '../../projects/cast.ts';
import { startTestServer, type TestResponse } from '../../../support/server.ts';
import type { Scenarios } from '../stage.ts';

/** Scenarios of the dependency proxy. */
export const dependencyProxyScenarios: Scenarios = {
  'dependency-proxy-scopes': async ({ phase, release }) => {
    await using upstream = await startUpstreamRegistry();
    const image = imageWith('hello');
    upstream.push('library/alpine', 'latest', image);
    await using server = await startTestServer({ profile: { release }, dependencyProxyUpstream: upstream.origin });
    const ada = actor(server.platform, 'ada', { scopes: ['read_user'] });
    createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    const pull = (token: string): Promise<TestResponse> =>
      server.request('GET', pathIn('crew', 'alpine', 'manifests/latest'), { token });
    const isDeprecated = ({ headers }: TestResponse): boolean => headers.get('deprecation') !== null;

    const old = await signIn(server, 'ada', ada.token);
    assert.equal(isDeprecated(old), phase !== 'before');
    if (phase === 'after') {
      const refusal = { errors: [{ code: 'DENIED', message: 'access forbidden', detail: null }] };
      assert.deepEqual([old.status, old.json()], [403, refusal]);
    } else {
      const pulled = await pull(String(Object(old.json()).token));
      assert.deepEqual([pulled.status, digestOf(pulled.text)], [200, digestOf(image.manifest)]);
      assert.equal(isDeprecated(pulled), phase === 'between');
    }

    const scopes = ['read_registry', 'write_registry'];
    const { token } = issuePersonalToken(server.platform, ada.user, { name: 'pull', scopes, expiresAt: null });
    const replacement = await pull(await pullToken(server, 'ada', token));
    assert.deepEqual([replacement.status, digestOf(replacement.text)], [200, digestOf(image.manifest)]);
    assert.equal(isDeprecated(replacement), false);
  },
};
