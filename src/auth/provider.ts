import * as vscode from 'vscode';
import { instanceOfAccount, isLocalKey } from '../instances/accountKey.ts';
import type { Instances } from '../instances/instances.ts';
import type { Refresh } from './refresh.ts';
import { keyOf, type Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './signIn.ts';

export interface ProviderSettings {
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly signIn: SignIn;
  readonly instances: Instances;
}

/** Creates the authentication provider that shows the sign-ins of all instances as accounts of the editor. */
export function createProvider({ sessions, refresh, signIn, instances }: ProviderSettings): vscode.AuthenticationProvider {
  const changes = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();

  function shown(session: Session): vscode.AuthenticationSession {
    const { id, accessToken, account, scopes, instance } = session;
    const where = instances.all().find(({ key }) => key === instance)?.label ?? instance;
    return { id, accessToken, scopes, account: { id: keyOf(session), label: `${account.name} @ ${where}` } };
  }

  /** Returns all sessions except those of local data that the server does not have now, which can be neither used nor signed out. */
  function usable(): readonly Session[] {
    return sessions.all().filter(({ instance }) => !isLocalKey(instance) || instance === instances.local().key);
  }

  let last = usable();
  function follow(): void {
    const [before, after] = [last, usable()];
    last = after;
    const sameAs = (session: Session, list: readonly Session[]): Session | undefined => list.find(({ id }) => id === session.id);
    const added = after.filter((session) => sameAs(session, before) === undefined);
    const removed = before.filter((session) => sameAs(session, after) === undefined);
    const changed = after.filter((session) => {
      const same = sameAs(session, before);
      return same !== undefined && same.accessToken !== session.accessToken;
    });
    if (added.length + removed.length + changed.length === 0) return;
    changes.fire({ added: added.map(shown), removed: removed.map(shown), changed: changed.map(shown) });
  }
  sessions.onDidChange(follow);
  instances.onDidChange(follow);

  return {
    onDidChangeSessions: changes.event,
    // Without scopes, the editor fills its Accounts menu, which must not cause requests.
    async getSessions(scopes, { account }) {
      const known = usable().filter((session) => account === undefined || keyOf(session) === account.id);
      if (scopes === undefined) return known.map(shown);
      const fresh = await Promise.all(
        known.filter((session) => covers(session.scopes, scopes)).map((session) => refresh.fresh(keyOf(session))),
      );
      return fresh.filter((session) => session !== undefined).map(shown);
    },
    async createSession(_scopes, { account }) {
      const wanted = instances.all().find(({ key }) => key === instanceOfAccount(account?.id ?? ''));
      const session = await signIn.signIn(wanted ?? instances.current());
      if (session === undefined) throw new vscode.CancellationError();
      return shown(session);
    },
    async removeSession(sessionId) {
      const session = sessions.all().find(({ id }) => id === sessionId);
      if (session === undefined) return;
      const { instanceActions } = await import('../instances/instanceActions.ts');
      await instanceActions().signOut({ signIn, sessions, instances }, session);
    },
  };
}

/** Returns true if the granted scopes include the wanted ones. `api` includes every other scope. */
function covers(granted: readonly string[], wanted: readonly string[]): boolean {
  return granted.includes('api') || wanted.every((scope) => granted.includes(scope));
}
