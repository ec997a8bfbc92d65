import { groupRoute } from '../groups/groups.ts';
import { invalidParameters } from '../../core/errors.ts';
import { boolean, integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { administratorRoute, openRoute, type Route, userRoute, type ApiRequest } from '../../http/route.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projectAccess/projectAccess.ts';
import { attributeParameters, infoOf, infoParameters, inputOf } from './parameters.ts';
import { instanceOwner, resetRegistrationToken } from '../registrationTokens/registrationTokens.ts';
import { authenticationToken, registrationTokenResponse, runnerRegistration } from './responses.ts';
import { type RunnerType, runnerTypes } from './rules.ts';
import {
  authenticateRunner,
  createRunner,
  deleteRunner,
  type Issued,
  recordContact,
  registerRunner,
  resetToken,
  type RunnerScope,
} from './manageRunners.ts';

const metadata = { specRef: 'Runners', status: 'inferred' } as const;
const resetMetadata = {
  ...metadata,
  method: 'POST',
  status: 'stated',
  body: registrationTokenResponse,
  deprecation: 'runner-registration-token-resets',
} as const;

const issued = ({ runner, token }: Issued) => ({ id: runner.id, token, token_expires_at: null });

const registerParameters = () => ({
  token: required(string),
  ...attributeParameters(),
  maintainer_note: string(),
  active: boolean(),
  ...infoParameters(),
});

const verifyParameters = () => ({ token: required(string), ...infoParameters() });

const resetAuthenticationTokenParameters = () => ({ token: required(string) });

/** Returns the routes that create, register and authenticate runners. */
export function registrationRoutes(core: Core): Route[] {
  return [
    openRoute(
      {
        ...metadata,
        status: 'stated',
        method: 'POST',
        path: '/api/v4/runners',
        body: runnerRegistration,
        deprecation: 'runner-registration',
        params: registerParameters,
      },
      (request) => register(core, request),
    ),
    openRoute(
      { ...metadata, method: 'DELETE', path: '/api/v4/runners', params: () => ({ token: required(string) }) },
      ({ params }) => deleteRunner(core, authenticateRunner(core, params.token)),
    ),
    openRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/runners/verify',
        successStatus: 200,
        body: runnerRegistration,
        params: verifyParameters,
      },
      (request) => verify(core, request),
    ),
    openRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/runners/reset_authentication_token',
        body: authenticationToken,
        params: resetAuthenticationTokenParameters,
      },
      (request) => resetAuthenticationToken(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/user/runners',
        addedIn: '15.11',
        body: runnerRegistration,
        params: () => ({
          runner_type: required(oneOf(runnerTypes)),
          group_id: integer(),
          project_id: integer(),
          ...attributeParameters(),
        }),
      },
      ({ params, caller, linkParameters }) =>
        issued(createRunner(core, caller, scopeOf(params.runner_type, params), inputOf(params, linkParameters()))),
    ),
    administratorRoute({ ...resetMetadata, path: '/api/v4/runners/reset_registration_token' }, () => ({
      token: resetRegistrationToken(core, instanceOwner),
    })),
    projectRoute(
      {
        ...resetMetadata,
        key: 'id',
        path: '/api/v4/projects/:id/runners/reset_registration_token',
        params: () => ({ id: required(string) }),
      },
      'maintainer',
      ({ project }) => ({ token: resetRegistrationToken(core, { kind: 'project', id: project.id }) }),
    ),
    groupRoute(
      {
        ...resetMetadata,
        key: 'id',
        path: '/api/v4/groups/:id/runners/reset_registration_token',
        params: () => ({ id: required(string) }),
      },
      'owner',
      ({ group }) => ({ token: resetRegistrationToken(core, { kind: 'group', id: group.id }) }),
    ),
  ];
}

function register(
  core: Core,
  { params, linkParameters }: ApiRequest<ParametersOf<typeof registerParameters>>,
): ResponseOf<typeof runnerRegistration> {
  const input = inputOf(params, linkParameters());
  return issued(registerRunner(core, params.token, input, infoOf(params.info)));
}

function verify(
  core: Core,
  { params }: ApiRequest<ParametersOf<typeof verifyParameters>>,
): ResponseOf<typeof runnerRegistration> {
  const runner = authenticateRunner(core, params.token);
  recordContact(core, runner, infoOf(params.info));
  return issued({ runner, token: params.token });
}

function resetAuthenticationToken(
  core: Core,
  { params }: ApiRequest<ParametersOf<typeof resetAuthenticationTokenParameters>>,
): ResponseOf<typeof authenticationToken> {
  const runner = authenticateRunner(core, params.token);
  recordContact(core, runner, {});
  return { token: resetToken(core, runner), token_expires_at: null };
}

/** @throws {InvalidParameters} without the ID of the group or project that the type needs. */
function scopeOf(
  type: RunnerType,
  sent: { readonly group_id: number | undefined; readonly project_id: number | undefined },
): RunnerScope {
  if (type === 'instance_type') return { type, id: 0 };
  const name = type === 'group_type' ? 'group_id' : 'project_id';
  const id = sent[name];
  if (id === undefined) throw invalidParameters([`${name} is missing`]);
  return { type, id };
}
