import { decideAll } from '../../../server/features/notifications/work.ts';
import { browser } from './browser.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

/** Returns the ID of an event that has been decided. */
function decidedEvent({ server }: Fixture): number {
  const { platform } = server;
  decideAll(platform);
  const row = platform.store.get<{ id: number }>('SELECT min(id) AS id FROM notification_events');
  return row?.id ?? 0;
}

export const notificationDecisionExamples: Examples = {
  'GET /api/v4/notification_events': () => ({ token: admin }),
  'GET /api/v4/notification_events/:id': (fixture) => ({ token: admin, path: { id: String(decidedEvent(fixture)) } }),
  'GET /api/v4/notification_events/:id/decisions': (fixture) => ({ token: admin, path: { id: String(decidedEvent(fixture)) } }),
  'GET /-/notifications/why': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'GET /api/v4/notification_decisions': ({ project }) => ({
    token: admin,
    params: { event: 'new_note', project_id: String(project.project.id), target_iid: 1 },
  }),
};
