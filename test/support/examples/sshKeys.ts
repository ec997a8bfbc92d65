import type { User } from '../../../server/core/caller.ts';
import { addSshKey } from '../../../server/features/sshKeys/manageSshKeys.ts';
import { freshPublicKey } from '../publicKeys.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

function keyOf({ server, fresh }: Fixture, user: User): Readonly<Record<'key_id', string>> {
  const input = { title: fresh('key'), key: freshPublicKey(), usageType: 'auth', expiresAt: Date.UTC(2999, 0, 1) } as const;
  return { key_id: String(addSshKey(server.platform, user, input).id) };
}

const newKey = () => ({ title: 'Laptop', key: freshPublicKey(), usage_type: 'auth', expires_at: '2999-01-01T00:00:00Z' });

export const sshKeyExamples: Examples = {
  'GET /api/v4/user/keys': (fixture) => {
    keyOf(fixture, fixture.root);
    return { token: admin };
  },
  'POST /api/v4/user/keys': () => ({ token: admin, params: newKey() }),
  'GET /api/v4/user/keys/:key_id': (fixture) => ({ token: admin, path: keyOf(fixture, fixture.root) }),
  'DELETE /api/v4/user/keys/:key_id': (fixture) => ({ token: admin, path: keyOf(fixture, fixture.root) }),
  'GET /api/v4/users/:id/keys': (fixture) => {
    keyOf(fixture, fixture.root);
    return { token: admin, path: { id: String(fixture.root.id) } };
  },
  'POST /api/v4/users/:id/keys': ({ ada }) => ({ token: admin, path: { id: String(ada.id) }, params: newKey() }),
  'GET /api/v4/users/:id/keys/:key_id': (fixture) => ({
    token: admin,
    path: { id: String(fixture.ada.id), ...keyOf(fixture, fixture.ada) },
  }),
  'DELETE /api/v4/users/:id/keys/:key_id': (fixture) => ({
    token: admin,
    path: { id: String(fixture.ada.id), ...keyOf(fixture, fixture.ada) },
  }),
  'GET /api/v4/keys/:id': (fixture) => ({ token: admin, path: { id: keyOf(fixture, fixture.ada).key_id } }),
  'GET /api/v4/keys': ({ server, ada, fresh }) => {
    const input = { title: fresh('key'), key: freshPublicKey(), usageType: 'auth', expiresAt: undefined } as const;
    return { token: admin, params: { fingerprint: addSshKey(server.platform, ada, input).fingerprint } };
  },
};
