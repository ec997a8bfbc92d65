import { browser, formExample } from './browser.ts';
import type { Examples } from './example.ts';
import { admin, inGroup, inProject } from './fixture.ts';

const page = '/-/profile/notifications';

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
  'GET /-/profile/notifications': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /profile/notifications': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /-/profile/notifications': async (fixture) => formExample(await browser(fixture), page, page, { level: 'watch' }),
  'POST /-/profile/notifications/groups/:id': async (fixture) => {
    const id = String(fixture.group.group.id);
    const action = `${page}/groups/${id}`;
    return { ...(await formExample(await browser(fixture), page, action, { level: 'custom' })), path: { id } };
  },
  'POST /-/profile/notifications/projects/:id': async (fixture) => {
    const id = String(fixture.project.project.id);
    const action = `${page}/projects/${id}`;
    const list = `${page}?search=${encodeURIComponent(fixture.project.project.full_path)}`;
    return { ...(await formExample(await browser(fixture), list, action, { level: 'mention' })), path: { id } };
  },
};
