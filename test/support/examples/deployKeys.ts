import { addDeployKey } from '../../../server/features/deployKeys/manageDeployKeys.ts';
import { freshPublicKey } from '../publicKeys.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject } from './fixture.ts';

function keyOf(fixture: Fixture): Readonly<Record<string, string>> {
  const found = freshProject(fixture);
  const input = { title: fixture.fresh('key'), key: freshPublicKey(), canPush: true, expiresAt: Date.UTC(2999, 0, 1) };
  return inProject(found, { key_id: addDeployKey(fixture.server.platform, found.project, fixture.root, input).id });
}

export const deployKeyExamples: Examples = {
  'GET /api/v4/deploy_keys': (fixture) => {
    keyOf(fixture);
    return { token: admin };
  },
  'GET /api/v4/projects/:id/deploy_keys': (fixture) => ({ token: admin, path: keyOf(fixture) }),
  'POST /api/v4/projects/:id/deploy_keys': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { title: 'CI', key: freshPublicKey(), can_push: true, expires_at: '2999-01-01T00:00:00Z' },
  }),
  'GET /api/v4/projects/:id/deploy_keys/:key_id': (fixture) => ({ token: admin, path: keyOf(fixture) }),
  'PUT /api/v4/projects/:id/deploy_keys/:key_id': (fixture) => ({
    token: admin,
    path: keyOf(fixture),
    params: { title: 'Another title', can_push: false },
  }),
  'DELETE /api/v4/projects/:id/deploy_keys/:key_id': (fixture) => ({ token: admin, path: keyOf(fixture) }),
  'POST /api/v4/projects/:id/deploy_keys/:key_id/enable': (fixture) => {
    const { key_id: key = '' } = keyOf(fixture);
    return { token: admin, path: { ...inProject(freshProject(fixture)), key_id: key } };
  },
};
