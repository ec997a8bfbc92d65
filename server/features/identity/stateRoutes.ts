import { findUser, setUserState, type UserStateAction } from '../users/users.ts';
import { DAY } from '../../core/clock.ts';
import type { Forbidden } from '../../core/errors.ts';
import { badRequest, forbidden, notFound, forbiddenWith } from '../../core/errors.ts';
import { integer, type ParametersOf, required } from '../../http/params.ts';
import { administratorRoute, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { endSessionsOf } from '../signIn/signIn.ts';
import { unlockAccount } from '../attempts/attempts.ts';
import { done, doneOrNot } from './responses.ts';
import type { Caller, User } from '../../core/caller.ts';
import { isBlocked } from '../accountRules/accountRules.ts';
import { disableSecondFactor } from '../secondFactors/secondFactors.ts';

/** Users who were active within this number of days cannot be deactivated; the default of GitLab. */
const DORMANT_DAYS = 90;

/** Returns the refusal of a GitLab service, whose message has no `403 Forbidden` prefix. */
function refused(text: string): Forbidden {
  return forbiddenWith(text, 'user.state');
}

/** Changes the state of an account, as the caller asks at time `now`. Returns null or false if nothing is to be changed. */
type StateChange = (core: Core, user: User, caller: Caller, now: number) => boolean | null;

const metadata = { specRef: 'Users', status: 'inferred', key: 'id' } as const;
const userId = () => ({ id: required(integer) });

/** Returns the routes with which administrators change the state of an account. */
export function stateRoutes(core: Core): Route[] {
  return [
    stateRoute(core, 'block', block),
    stateRoute(core, 'unblock', unblock),
    stateRoute(core, 'ban', ban),
    stateRoute(core, 'unban', unban),
    stateRoute(core, 'deactivate', deactivate),
    stateRoute(core, 'activate', activate),
    administratorRoute(
      { ...metadata, method: 'POST', path: '/api/v4/users/:id/unlock', body: done, params: userId, status: 'local' },
      (request) => unlock(core, request),
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'PATCH',
        path: '/api/v4/users/:id/disable_two_factor',
        params: userId,
        addedIn: '15.2',
        successStatus: 204,
      },
      (request) => disableTwoFactor(core, request),
    ),
  ];
}

/** Returns the route that changes the state of an account with `change`. */
function stateRoute(core: Core, action: UserStateAction, change: StateChange): Route {
  return administratorRoute(
    { ...metadata, method: 'POST', path: `/api/v4/users/:id/${action}`, body: doneOrNot, params: userId },
    ({ params, caller, now }) => change(core, mustFindUser(core, params.id), caller, now),
  );
}

function block(core: Core, user: User, caller: Caller, now: number): true | null {
  if (user.id === caller.user.id) {
    throw forbidden('The API initiating user cannot be blocked by the API', 'administrators cannot block themselves');
  }
  if (user.is_ghost === 1) throw forbidden('An internal user cannot be blocked', 'the ghost user never signs in');
  if (isBlocked(user)) return null;
  setState(core, user, 'blocked', 'block', now);
  return true;
}

function unblock(core: Core, user: User, _caller: Caller, now: number): boolean {
  if (user.state === 'deactivated') {
    throw forbidden(
      'Deactivated users cannot be unblocked by the API',
      'the account is deactivated; use activate instead of unblock',
    );
  }
  if (user.state === 'banned') return false;
  setState(core, user, 'active', 'unblock', now);
  return true;
}

function ban(core: Core, user: User, caller: Caller, now: number): true {
  if (user.id === caller.user.id) throw forbidden(undefined, 'administrators cannot ban themselves');
  if (user.is_ghost === 1) throw refused('You cannot ban internal users.');
  if (user.state !== 'active') throw refused(`You cannot ban ${user.state} users.`);
  setState(core, user, 'banned', 'ban', now);
  return true;
}

function unban(core: Core, user: User, _caller: Caller, now: number): true {
  if (user.state !== 'banned') throw refused(`You cannot unban ${user.state} users.`);
  setState(core, user, 'active', 'unban', now);
  return true;
}

function deactivate(core: Core, user: User, _caller: Caller, now: number): true | null {
  if (user.state === 'deactivated') return null;
  if (user.is_ghost === 1) throw refused('Internal users cannot be deactivated');
  if (isBlocked(user)) throw refused('Error occurred. A blocked user cannot be deactivated');
  const lastActive = Math.max(user.last_activity_at ?? 0, user.current_sign_in_at ?? 0);
  if (now - lastActive < DORMANT_DAYS * DAY) {
    throw refused(
      `The user you are trying to deactivate has been active in the past ${DORMANT_DAYS} days and cannot be deactivated`,
    );
  }
  core.store.transaction(() => {
    setState(core, user, 'deactivated', 'deactivate', now);
    endSessionsOf(core, user.id);
  });
  return true;
}

function activate(core: Core, user: User, _caller: Caller, now: number): true {
  if (isBlocked(user)) {
    throw forbidden('A blocked user must be unblocked to be activated', `the account is ${user.state}`);
  }
  setState(core, user, 'active', 'activate', now);
  return true;
}

function unlock(core: Core, { params }: SignedInRequest<ParametersOf<typeof userId>>): true {
  const user = mustFindUser(core, params.id);
  core.store.transaction(() => {
    unlockAccount(core, user);
    core.changes.publish({ kind: 'accountUnlocked', userId: user.id });
  });
  return true;
}

function disableTwoFactor(core: Core, { params }: SignedInRequest<ParametersOf<typeof userId>>): void {
  const user = mustFindUser(core, params.id);
  if (user.admin === 1) {
    throw forbidden(
      'Two-factor authentication for admins cannot be disabled via the API. Use the Rails console',
      'administrators can disable it on their settings page; a one-time sign-in link works without a code',
    );
  }
  if (!disableSecondFactor(core, user)) throw badRequest('Two-factor authentication is not enabled for this user');
}

function setState({ store, changes }: Core, user: User, state: User['state'], action: UserStateAction, now: number): void {
  store.transaction(() => {
    setUserState(store, user.id, state, now);
    if (user.state !== state) changes.publish({ kind: 'userStateChanged', userId: user.id, action });
  });
}

function mustFindUser(core: Core, id: number): User {
  const user = findUser(core, id);
  if (user === undefined) throw notFound('User');
  return user;
}
