import type { Examples } from './example.ts';
import { admin, inGroup, inProject } from './fixture.ts';

export const notificationSettingExamples: Examples = {
  'GET /api/v4/notification_settings': () => ({ token: admin }),
  'PUT /api/v4/notification_settings': () => ({ token: admin, params: { level: 'watch', new_note: true } }),
  'GET /api/v4/groups/:id/notification_settings': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'PUT /api/v4/groups/:id/notification_settings': ({ group }) => ({
    token: admin,
    path: inGroup(group),
    params: { level: 'custom', new_epic: true },
  }),
  'GET /api/v4/projects/:id/notification_settings': ({ project }) => ({ token: admin, path: inProject(project) }),
  'PUT /api/v4/projects/:id/notification_settings': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { level: 'custom', new_note: false },
  }),
};
