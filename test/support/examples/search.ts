import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import type { Examples } from './example.ts';
import { admin, inGroup, inProject } from './fixture.ts';

const params = { scope: 'issues', search: 'stays dark', state: 'opened', order_by: 'created_at', sort: 'asc' } as const;

export const searchExamples: Examples = {
  'GET /api/v4/search': () => ({ token: admin, params }),
  'GET /api/v4/groups/:id/search': ({ server, root, group, fresh }) => {
    const found = createProject(server.platform, root, { name: fresh('searched'), namespaceId: group.group.id });
    createIssue(server.platform, found, root, { title: 'Lamp 8 stays dark' });
    return { token: admin, path: inGroup(group), params };
  },
  'GET /api/v4/projects/:id/search': ({ project }) => ({ token: admin, path: inProject(project), params }),
};
