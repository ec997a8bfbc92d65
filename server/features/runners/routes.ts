import { demandOneOf } from '../../http/combinations.ts';
import { boolean, integer, required, string } from '../../http/params.ts';
import { type Route, userRoute } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projects/projects.ts';
import { attributeParameters, inputOf } from './parameters.ts';
import { presentDetails, presentRunner } from './present.ts';
import { authenticationToken, runner, runnerDetails } from './responses.ts';
import {
  assignRunner,
  deleteRunner,
  demandDeletion,
  demandManagement,
  demandVisible,
  mustFindRunner,
  resetToken,
  unassignRunner,
  updateRunner,
} from './manageRunners.ts';

const metadata = { specRef: 'Runners', status: 'inferred', key: 'id' } as const;
const one = '/api/v4/runners/:id';
const ofProject = '/api/v4/projects/:id/runners';

const changeable = [
  'description',
  'active',
  'paused',
  'tag_list',
  'run_untagged',
  'locked',
  'access_level',
  'maximum_timeout',
  'maintenance_note',
] as const;

/** Returns the routes with which users manage runners. */
export function runnerRoutes(core: Core): Route[] {
  return [
    userRoute(
      { ...metadata, method: 'GET', path: one, body: runnerDetails, params: () => ({ id: required(integer) }) },
      (request) => {
        const found = mustFindRunner(core, request.params.id);
        demandVisible(core, request.caller, found);
        return presentDetails(core, found, request);
      },
    ),
    userRoute(
      {
        ...metadata,
        method: 'PUT',
        path: one,
        body: runnerDetails,
        params: () => ({
          id: required(integer),
          ...attributeParameters(),
          active: boolean(),
        }),
      },
      (request) => {
        const { params, caller, linkParameters } = request;
        demandOneOf(request, changeable);
        const found = mustFindRunner(core, params.id);
        demandManagement(core, caller, found);
        const changed = updateRunner(core, found, inputOf(params, linkParameters()));
        return presentDetails(core, changed, request);
      },
    ),
    userRoute({ ...metadata, method: 'DELETE', path: one, params: () => ({ id: required(integer) }) }, ({ params, caller }) => {
      const found = mustFindRunner(core, params.id);
      demandDeletion(core, caller, found);
      deleteRunner(core, found);
    }),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/reset_authentication_token`,
        body: authenticationToken,
        params: () => ({ id: required(integer) }),
      },
      ({ params, caller }) => {
        const found = mustFindRunner(core, params.id);
        demandManagement(core, caller, found);
        return { token: resetToken(core, found), token_expires_at: null };
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: ofProject,
        body: runner,
        params: () => ({ id: required(string), runner_id: required(integer) }),
      },
      'maintainer',
      ({ params, caller, project, now }) => {
        const found = mustFindRunner(core, params.runner_id);
        assignRunner(core, caller, found, project.id);
        return presentRunner(found, now);
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${ofProject}/:runner_id`,
        params: () => ({ id: required(string), runner_id: required(integer) }),
      },
      'maintainer',
      ({ params, caller, project }) => unassignRunner(core, caller, params.runner_id, project.id),
    ),
  ];
}
