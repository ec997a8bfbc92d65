import type { FoundGroup } from '../../../server/features/groups/access.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMilestone, findMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, containerOf, inGroup, inProject } from './fixture.ts';

/** Creates a milestone and returns its id. */
function createMilestoneId({ server, root, fresh }: Fixture, location: FoundProject | FoundGroup): number {
  return createMilestone(server.platform, containerOf(location), root, { title: fresh('milestone'), startDate: '2027-01-01' }).id;
}

function iidOfMilestone(fixture: Fixture, location: FoundProject | FoundGroup): string {
  const found = findMilestone(fixture.server.platform, containerOf(location), createMilestoneId(fixture, location));
  return String(found?.iid);
}

/** Returns the id of a milestone with issues. */
export function plannedMilestone(fixture: Fixture, location: FoundProject | FoundGroup): number {
  const { server, root, fresh } = fixture;
  const milestoneId = createMilestoneId(fixture, location);
  const project =
    'project' in location
      ? location
      : createProject(server.platform, root, { name: fresh('project'), namespaceId: location.group.id });
  for (const title of ['First lamp', 'Second lamp', 'Third lamp'])
    createIssue(server.platform, project, root, { title, milestoneId });
  return milestoneId;
}

export const milestoneExamples: Examples = {
  'GET /api/v4/projects/:id/milestones': (fixture) => {
    createMilestoneId(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { state: 'active' } };
  },
  'POST /api/v4/projects/:id/milestones': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { title: fresh('milestone'), due_date: '2027-01-31' },
  }),
  'GET /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: createMilestoneId(fixture, fixture.project) }),
  }),
  'PUT /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: createMilestoneId(fixture, fixture.project) }),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/projects/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: createMilestoneId(fixture, fixture.project) }),
  }),
  'GET /api/v4/projects/:id/milestones/:milestone_id/issues': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { milestone_id: plannedMilestone(fixture, fixture.project) }),
  }),
  'GET /api/v4/groups/:id/milestones': (fixture) => {
    createMilestoneId(fixture, fixture.group);
    return { token: admin, path: inGroup(fixture.group), params: { state: 'active' } };
  },
  'POST /api/v4/groups/:id/milestones': ({ group, fresh }) => ({
    token: admin,
    path: inGroup(group),
    params: { title: fresh('milestone'), due_date: '2027-01-31' },
  }),
  'GET /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: createMilestoneId(fixture, fixture.group) }),
  }),
  'PUT /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: createMilestoneId(fixture, fixture.group) }),
    params: { state_event: 'close' },
  }),
  'DELETE /api/v4/groups/:id/milestones/:milestone_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: createMilestoneId(fixture, fixture.group) }),
  }),
  'GET /api/v4/groups/:id/milestones/:milestone_id/issues': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { milestone_id: plannedMilestone(fixture, fixture.group) }),
  }),
  'GET /groups/*full_path/-/milestones': () => ({ path: { full_path: 'signals' } }),
  'GET /*full_path/-/milestones': () => ({ path: { full_path: 'root/lamps' } }),
  'GET /groups/*full_path/-/milestones/:milestone_iid': (fixture) => ({
    path: { full_path: 'signals', milestone_iid: iidOfMilestone(fixture, fixture.group) },
  }),
  'GET /*full_path/-/milestones/:milestone_iid': (fixture) => ({
    path: { full_path: 'root/lamps', milestone_iid: iidOfMilestone(fixture, fixture.project) },
  }),
};
