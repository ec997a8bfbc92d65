import { createRule } from '../../../server/features/protectedRefs/manageProtectedRefs.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject } from './fixture.ts';
import { codeRequest } from './repositories.ts';

function pathOf(fixture: Fixture, kind: 'branch' | 'tag'): Readonly<Record<string, string>> {
  const found = freshProject(fixture);
  const name = `${fixture.fresh('stable')}/*`;
  const grants =
    kind === 'branch' ? { push: [{ access_level: 40 }], merge: [{ access_level: 30 }] } : { create: [{ access_level: 40 }] };
  createRule(fixture.server.platform, found.project, kind, name, { grants });
  return { ...inProject(found), name };
}

export const protectedRefExamples: Examples = {
  'GET /api/v4/projects/:id/protected_branches': (fixture) => ({
    token: admin,
    path: pathOf(fixture, 'branch'),
    params: { search: 'stable' },
  }),
  'POST /api/v4/projects/:id/protected_branches': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: {
      name: fixture.fresh('branch'),
      push_access_level: 30,
      allowed_to_merge: [{ user_id: fixture.root.id }],
      allow_force_push: true,
    },
  }),
  'GET /api/v4/projects/:id/protected_branches/:name': (fixture) => ({ token: admin, path: pathOf(fixture, 'branch') }),
  'PATCH /api/v4/projects/:id/protected_branches/:name': (fixture) => ({
    token: admin,
    path: pathOf(fixture, 'branch'),
    params: { allow_force_push: true, allowed_to_push: [{ access_level: 30 }] },
  }),
  'DELETE /api/v4/projects/:id/protected_branches/:name': (fixture) => ({ token: admin, path: pathOf(fixture, 'branch') }),
  'GET /api/v4/projects/:id/protected_tags': (fixture) => ({ token: admin, path: pathOf(fixture, 'tag') }),
  'POST /api/v4/projects/:id/protected_tags': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { name: fixture.fresh('tag'), create_access_level: 30 },
  }),
  'GET /api/v4/projects/:id/protected_tags/:name': (fixture) => ({ token: admin, path: pathOf(fixture, 'tag') }),
  'DELETE /api/v4/projects/:id/protected_tags/:name': (fixture) => ({ token: admin, path: pathOf(fixture, 'tag') }),
  'PUT /api/v4/projects/:id/repository/branches/:branch/protect': (fixture) =>
    codeRequest(fixture, { branch: 'topic' }, { developers_can_push: true, developers_can_merge: true }),
  'PUT /api/v4/projects/:id/repository/branches/:branch/unprotect': (fixture) => codeRequest(fixture, { branch: 'topic' }),
};
