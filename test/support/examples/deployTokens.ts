import { createDeployToken } from '../../../server/features/deployTokens/manageDeployTokens.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, inGroup, inProject } from './fixture.ts';

function ofProject(fixture: Fixture): Readonly<Record<string, string>> {
  const found = freshProject(fixture);
  return inProject(found, { token_id: tokenOf(fixture, { projectId: found.project.id, groupId: null }) });
}

function ofGroup(fixture: Fixture): Readonly<Record<string, string>> {
  const found = freshGroup(fixture);
  return inGroup(found, { token_id: tokenOf(fixture, { projectId: null, groupId: found.group.id }) });
}

function tokenOf(
  { server, fresh }: Fixture,
  container: { readonly projectId: number | null; readonly groupId: number | null },
): number {
  const input = { name: fresh('token'), username: undefined, scopes: ['read_repository'], expiresAt: Date.UTC(2999, 0, 1) };
  return createDeployToken(server.platform, container, input).token.id;
}

const params = { name: 'CI', scopes: ['read_repository', 'read_registry'], username: 'ci', expires_at: '2999-01-01T00:00:00Z' };

export const deployTokenExamples: Examples = {
  'GET /api/v4/deploy_tokens': (fixture) => {
    ofProject(fixture);
    return { token: admin, params: { active: true } };
  },
  'GET /api/v4/projects/:id/deploy_tokens': (fixture) => ({ token: admin, path: ofProject(fixture), params: { active: true } }),
  'POST /api/v4/projects/:id/deploy_tokens': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)), params }),
  'GET /api/v4/projects/:id/deploy_tokens/:token_id': (fixture) => ({ token: admin, path: ofProject(fixture) }),
  'DELETE /api/v4/projects/:id/deploy_tokens/:token_id': (fixture) => ({ token: admin, path: ofProject(fixture) }),
  'GET /api/v4/groups/:id/deploy_tokens': (fixture) => ({ token: admin, path: ofGroup(fixture), params: { active: true } }),
  'POST /api/v4/groups/:id/deploy_tokens': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)), params }),
  'GET /api/v4/groups/:id/deploy_tokens/:token_id': (fixture) => ({ token: admin, path: ofGroup(fixture) }),
  'DELETE /api/v4/groups/:id/deploy_tokens/:token_id': (fixture) => ({ token: admin, path: ofGroup(fixture) }),
};
