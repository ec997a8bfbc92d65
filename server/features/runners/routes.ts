import { demandOneOf } from '../../http/combinations.ts';
import { boolean, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { type Route, userRoute, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { attributeParameters, inputOf } from './parameters.ts';
import { presentDetails, presentRunner } from './present.ts';
import type { ResponseOf } from '../../http/responses.ts';
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

const showRunnerParameters = () => ({ id: required(integer) });

const changeRunnerParameters = () => ({
  id: required(integer),
  ...attributeParameters(),
  active: boolean(),
});

const removeRunnerParameters = () => ({ id: required(integer) });

const resetAuthenticationTokenParameters = () => ({ id: required(integer) });

const enableRunnerParameters = () => ({ id: required(string), runner_id: required(integer) });

/** Returns the routes with which users manage runners. */
export function runnerRoutes(core: Core): Route[] {
  return [
    userRoute({ ...metadata, method: 'GET', path: one, body: runnerDetails, params: showRunnerParameters }, (request) =>
      showRunner(core, request),
    ),
    userRoute({ ...metadata, method: 'PUT', path: one, body: runnerDetails, params: changeRunnerParameters }, (request) =>
      changeRunner(core, request),
    ),
    userRoute({ ...metadata, method: 'DELETE', path: one, params: removeRunnerParameters }, (request) =>
      removeRunner(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: `${one}/reset_authentication_token`,
        body: authenticationToken,
        params: resetAuthenticationTokenParameters,
      },
      (request) => resetAuthenticationToken(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: ofProject, body: runner, params: enableRunnerParameters },
      'maintainer',
      (request) => enableRunner(core, request),
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

function showRunner(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof showRunnerParameters>>,
): ResponseOf<typeof runnerDetails> {
  const found = mustFindRunner(core, request.params.id);
  demandVisible(core, request.caller, found);
  return presentDetails(core, found, request);
}

function changeRunner(
  core: Core,
  request: SignedInRequest<ParametersOf<typeof changeRunnerParameters>>,
): ResponseOf<typeof runnerDetails> {
  const { params, caller, linkParameters } = request;
  demandOneOf(request, changeable);
  const found = mustFindRunner(core, params.id);
  demandManagement(core, caller, found);
  const changed = updateRunner(core, found, inputOf(params, linkParameters()));
  return presentDetails(core, changed, request);
}

function removeRunner(core: Core, { params, caller }: SignedInRequest<ParametersOf<typeof removeRunnerParameters>>): void {
  const found = mustFindRunner(core, params.id);
  demandDeletion(core, caller, found);
  deleteRunner(core, found);
}

function resetAuthenticationToken(
  core: Core,
  { params, caller }: SignedInRequest<ParametersOf<typeof resetAuthenticationTokenParameters>>,
): ResponseOf<typeof authenticationToken> {
  const found = mustFindRunner(core, params.id);
  demandManagement(core, caller, found);
  return { token: resetToken(core, found), token_expires_at: null };
}

function enableRunner(
  core: Core,
  { params, caller, project, now }: ProjectRequest<ParametersOf<typeof enableRunnerParameters>>,
): ResponseOf<typeof runner> {
  const found = mustFindRunner(core, params.runner_id);
  assignRunner(core, caller, found, project.id);
  return presentRunner(found, now);
}
