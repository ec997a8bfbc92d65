import type { Examples } from './example.ts';
import { admin } from './fixture.ts';

export const activityExamples: Examples = {
  'GET /api/v4/events': () => ({ token: admin, params: { action: 'commented', after: '2020-01-01' } }),
  'GET /api/v4/users/:id/events': () => ({ token: admin, path: { id: 'root' } }),
  'GET /api/v4/projects/:project_id/events': ({ project }) => ({ path: { project_id: String(project.project.id) } }),
};
