import type { FoundGroup } from '../../../server/features/groups/access.ts';
import { createLabel } from '../../../server/features/labels/manageLabels.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { changeSubscription } from '../../../server/features/subscriptions/subscriptions.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, containerOf, inGroup, inProject } from './fixture.ts';

/** Creates a label and returns its id. */
function createLabelId({ server, fresh }: Fixture, location: FoundProject | FoundGroup): number {
  return createLabel(server.platform, containerOf(location), { title: fresh('label'), color: '#428bca' }).id;
}

function followedLabel({ server, root }: Fixture, id: number): number {
  changeSubscription(server.platform, { type: 'Label', id }, root, { to: true, participates: false });
  return id;
}

export const labelExamples: Examples = {
  'GET /api/v4/projects/:id/labels': (fixture) => {
    createLabelId(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { with_counts: true } };
  },
  'POST /api/v4/projects/:id/labels': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('label'), color: '#5843AD' },
  }),
  'PUT /api/v4/projects/:id/labels': (fixture) => ({
    token: admin,
    path: inProject(fixture.project),
    params: { label_id: createLabelId(fixture, fixture.project), description: 'What shines' },
  }),
  'DELETE /api/v4/projects/:id/labels': (fixture) => ({
    token: admin,
    path: inProject(fixture.project),
    params: { label_id: createLabelId(fixture, fixture.project) },
  }),
  'GET /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: createLabelId(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: createLabelId(fixture, fixture.project) }),
    params: { new_name: fixture.fresh('label') },
  }),
  'DELETE /api/v4/projects/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: createLabelId(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/labels/:label_id/promote': (fixture) => {
    const { server, root, group, fresh } = fixture;
    const project = createProject(server.platform, root, { name: fresh('project'), namespaceId: group.group.id });
    return { token: admin, path: inProject(project, { label_id: createLabelId(fixture, project) }) };
  },
  'POST /api/v4/projects/:id/labels/:label_id/subscribe': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: createLabelId(fixture, fixture.project) }),
  }),
  'POST /api/v4/projects/:id/labels/:label_id/unsubscribe': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { label_id: followedLabel(fixture, createLabelId(fixture, fixture.project)) }),
  }),
  'GET /api/v4/groups/:id/labels': (fixture) => {
    createLabelId(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { with_counts: true } };
  },
  'POST /api/v4/groups/:id/labels': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { name: fresh('label'), color: 'teal' },
  }),
  'PUT /api/v4/groups/:id/labels': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group),
    params: { label_id: createLabelId(fixture, fixture.group), description: 'What shines' },
  }),
  'DELETE /api/v4/groups/:id/labels': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group),
    params: { label_id: createLabelId(fixture, fixture.group) },
  }),
  'GET /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: createLabelId(fixture, fixture.group) }),
  }),
  'PUT /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: createLabelId(fixture, fixture.group) }),
    params: { new_name: fixture.fresh('label') },
  }),
  'DELETE /api/v4/groups/:id/labels/:label_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: createLabelId(fixture, fixture.group) }),
  }),
  'POST /api/v4/groups/:id/labels/:label_id/subscribe': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: createLabelId(fixture, fixture.group) }),
  }),
  'POST /api/v4/groups/:id/labels/:label_id/unsubscribe': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { label_id: followedLabel(fixture, createLabelId(fixture, fixture.group)) }),
  }),
};
