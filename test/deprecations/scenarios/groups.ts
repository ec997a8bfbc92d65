import assert from 'node:assert/strict';
import { cacheBlob } from '../../../server/features/dependencyProxy/dependencyProxy.ts';
import { createGroup } from '../../../server/groups/groups.ts';
import { actor } from '../../projects/cast.ts';
import type { Scenarios, Stage } from '../stage.ts';

interface Sent {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly string[];
  readonly isNoted: boolean;
}

/** Sends a query and returns what the client gets. */
export async function send(server: Stage['server'], token: string, query: string): Promise<Sent> {
  const response = await server.request('POST', '/api/graphql', { token, json: { query } });
  assert.equal(response.status, 200, response.text);
  const { data, errors = [] } = response.json() as {
    readonly data?: Readonly<Record<string, unknown>>;
    readonly errors?: readonly { readonly message: string }[];
  };
  return { data, errors: errors.map(({ message }) => message), isNoted: response.headers.get('deprecation') !== null };
}

/** Scenarios of groups and their projects. */
export const groupScenarios: Scenarios = {
  'dependency-proxy-total-size-in-bytes': async ({ server, phase }) => {
    const ada = actor(server.platform, 'ada');
    const { group } = createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    const content = Buffer.alloc(1536);
    cacheBlob(server.platform, { groupId: group.id, fileName: 'sha256:1.gz', contentType: 'application/gzip', content });
    const old = await send(server, ada.token, '{ group(fullPath: "crew") { dependencyProxyTotalSizeInBytes } }');
    if (phase === 'after') {
      assert.match(old.errors.join(), /^Cannot query field "dependencyProxyTotalSizeInBytes" on type "Group"/);
    } else assert.deepEqual(old.data, { group: { dependencyProxyTotalSizeInBytes: 1536 } });
    assert.equal(old.isNoted, phase !== 'before');
    if (phase === 'before') return;
    const replacement = await send(server, ada.token, '{ group(fullPath: "crew") { dependencyProxyTotalSizeBytes } }');
    assert.deepEqual(replacement.data, { group: { dependencyProxyTotalSizeBytes: '1536' } });
    assert.equal(replacement.isNoted, false);
  },
};
