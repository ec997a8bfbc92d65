import { registrationToken, instanceOwner } from '../../../server/features/registrationTokens/registrationTokens.ts';
import { assignRunner, registerRunner, type Runner } from '../../../server/features/runners/manageRunners.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, inGroup, inProject } from './fixture.ts';

/** Registers a runner of the instance. */
function registered({ server, fresh }: Fixture): { readonly id: number; readonly token: string } {
  const { platform } = server;
  const input = { description: fresh('runner'), tags: ['lamps'] };
  const { runner, token } = registerRunner(platform, registrationToken(platform, instanceOwner), input, {});
  return { id: runner.id, token };
}

/** Registers a runner of a new project. */
function ofProject(fixture: Fixture): Runner {
  const { platform } = fixture.server;
  const owner = { kind: 'project', id: freshProject(fixture).project.id } as const;
  return registerRunner(platform, registrationToken(platform, owner), {}, {}).runner;
}

const attributes = {
  description: 'Runner of the signal box',
  maintenance_note: 'In the cellar',
  paused: false,
  locked: false,
  run_untagged: true,
  access_level: 'not_protected',
  maximum_timeout: 3600,
  tag_list: ['lamps', 'boats'],
};
const info = { name: 'gitlab-runner', version: '18.0.0', revision: 'abcdef12', platform: 'linux', architecture: 'amd64' };

export const runnerExamples: Examples = {
  'POST /api/v4/runners': ({ server }) => ({
    params: { token: registrationToken(server.platform, instanceOwner), ...attributes, info },
  }),
  'DELETE /api/v4/runners': (fixture) => ({ params: { token: registered(fixture).token } }),
  'POST /api/v4/runners/verify': (fixture) => ({ params: { token: registered(fixture).token, info } }),
  'POST /api/v4/runners/reset_authentication_token': (fixture) => ({ params: { token: registered(fixture).token } }),
  'POST /api/v4/user/runners': (fixture) => ({
    token: admin,
    params: { runner_type: 'project_type', project_id: freshProject(fixture).project.id, ...attributes },
  }),
  'POST /api/v4/runners/reset_registration_token': () => ({ token: admin }),
  'POST /api/v4/projects/:id/runners/reset_registration_token': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
  }),
  'POST /api/v4/groups/:id/runners/reset_registration_token': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)) }),
  'GET /api/v4/runners/:id': (fixture) => ({ token: admin, path: { id: String(registered(fixture).id) } }),
  'PUT /api/v4/runners/:id': (fixture) => ({ token: admin, path: { id: String(registered(fixture).id) }, params: attributes }),
  'DELETE /api/v4/runners/:id': (fixture) => ({ token: admin, path: { id: String(registered(fixture).id) } }),
  'POST /api/v4/runners/:id/reset_authentication_token': (fixture) => ({
    token: admin,
    path: { id: String(registered(fixture).id) },
  }),
  'GET /api/v4/runners': (fixture) => {
    ofProject(fixture);
    return { token: admin, params: { type: 'project_type', status: 'never_contacted', paused: false } };
  },
  'GET /api/v4/runners/all': (fixture) => {
    registered(fixture);
    return { token: admin, params: { type: 'instance_type', tag_list: ['lamps'] } };
  },
  'GET /api/v4/projects/:id/runners': (fixture) => {
    registered(fixture);
    return { token: admin, path: inProject(freshProject(fixture)) };
  },
  'GET /api/v4/groups/:id/runners': (fixture) => {
    registered(fixture);
    return { token: admin, path: inGroup(freshGroup(fixture)) };
  },
  'POST /api/v4/projects/:id/runners': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { runner_id: ofProject(fixture).id },
  }),
  'DELETE /api/v4/projects/:id/runners/:runner_id': (fixture) => {
    const runner = ofProject(fixture);
    const { project } = freshProject(fixture);
    assignRunner(fixture.server.platform, { user: fixture.root }, runner, project.id);
    return { token: admin, path: { id: String(project.id), runner_id: String(runner.id) } };
  },
};
