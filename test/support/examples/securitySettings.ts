import type { Examples } from './example.ts';
import { admin, freshProject, inProject } from './fixture.ts';

export const securitySettingExamples: Examples = {
  'GET /api/v4/projects/:id/security_settings': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'PUT /api/v4/projects/:id/security_settings': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { secret_push_protection_enabled: true },
  }),
};
