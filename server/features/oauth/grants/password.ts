import { deprecations } from '../../../../src/contract/deprecations.ts';
import { ALL_SCOPES } from '../../../../src/contract/scopes.ts';
import { compareReleases } from '../../../../src/contract/releases.ts';
import { enterpriseRefusal, findUserByLogin, passwordRefusingGroup } from '../../users/users.ts';
import { recordFailedSignIn, tryPassword } from '../../signIn/signIn.ts';
import { hasSecondFactor } from '../../secondFactors/secondFactors.ts';
import { formatLockEnd } from '../../attempts/attempts.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { isOn } from '../../settings/settings.ts';
import { authenticateNamedClient, CLIENT_CHECK } from '../checks/client.ts';
import { checkScope } from '../checks/scope.ts';
import { invalidClient, invalidGrant, missingParameter } from '../failures.ts';
import { traceOf } from '../flowTrace.ts';
import type { OAuthRequest } from '../route.ts';
import type { ApplicationRow } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

export const PASSWORD_GRANT = 'password';
const PASSWORD_DEPRECATION = 'password-grant';

/**
 * Grant for resource owner password credentials (RFC 6749 §4.3). An incorrect username, an incorrect password and an account that cannot use
 * this grant get the same response (docs/interface.md#password-grant).
 */
export function passwordGrant(core: Core): Grant {
  return {
    types: [PASSWORD_GRANT],
    removedIn: deprecations[PASSWORD_DEPRECATION].removedIn,
    response: (request) => issueForPassword(core, request),
  };
}

async function issueForPassword(core: Core, request: OAuthRequest): Promise<Issued> {
  const { context, params, now } = request;
  context.noteDeprecated(PASSWORD_DEPRECATION);
  const trace = traceOf(context);
  trace.check('username and password were sent');
  const login = params.get('username');
  if (login === undefined) throw missingParameter('username');
  const password = params.get('password');
  if (password === undefined) throw missingParameter('password');
  const application = clientOf(core, request);
  trace.endChecks();
  if (!isOn(core, 'password_authentication_enabled_for_git')) {
    throw invalidGrant(
      'setting.password_authentication_enabled_for_git',
      'an administrator has turned off password authentication for Git, which also turns off this grant',
    );
  }
  const scopes = checkScope(trace, params.get('scope'), application?.scopes.split(' ') ?? ALL_SCOPES);
  trace.check('the username and password belong to an active account');
  const user = await userOfPassword(core, login.trim(), password, now);
  trace.endChecks();
  context.noteUser(user.username);
  checkPasswordSuffices(core, user);
  const input = { applicationId: application?.id ?? null, userId: user.id, scopes, grantType: PASSWORD_GRANT };
  return { response: issueTokens(core, input, core.dialect.tokenType, now) };
}

async function userOfPassword(core: Core, login: string, password: string, now: number): Promise<User> {
  const outcome = await tryPassword(core, login, password);
  if (outcome === 'refused') {
    recordFailedSignIn(core, findUserByLogin(core, login), 'password');
    throw invalidGrant('password', 'incorrect username or password, or the account is blocked');
  }
  if ('lockedUntil' in outcome) {
    throw invalidGrant(
      'password.attempts',
      `the account is locked after ten incorrect passwords; try again ${formatLockEnd(outcome.lockedUntil, now)}`,
    );
  }
  return outcome.user;
}

/** Refuses accounts for which a correct password is not sufficient. */
function checkPasswordSuffices(core: Core, user: User): void {
  if (user.state !== 'active') {
    throw invalidGrant('user', 'the account is deactivated; it is reactivated when the user signs in on the web page');
  }
  const refusing = passwordRefusingGroup(core, user);
  if (refusing !== undefined) throw invalidGrant('password.enterprise', enterpriseRefusal(refusing));
  if (hasSecondFactor(core, user)) {
    throw invalidGrant(
      'password.second-factor',
      'the account has two-factor authentication, which this grant does not support: use another grant or a personal access token',
    );
  }
}

/** Authenticates the client, if one is named. The hosted offering requires one since release 17.11 (docs/interface.md#password-grant). */
function clientOf(core: Core, { context, params }: OAuthRequest): ApplicationRow | undefined {
  const named = authenticateNamedClient(core, context, params);
  if (named !== undefined) return named;
  const { offering, release } = core.profile;
  if (offering === 'multi-tenant' && compareReleases(release, '17.11') >= 0) {
    traceOf(context).check(CLIENT_CHECK);
    throw invalidClient('this offering requires an application for the password grant: send client_id and client_secret');
  }
  if (!isOn(core, 'ropc_without_client_credentials')) {
    traceOf(context).check(CLIENT_CHECK);
    throw invalidClient('the instance settings require an application for the password grant: send client_id and client_secret');
  }
  return undefined;
}
