import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import type { Mask } from '../support/log.ts';
import type { Session } from './session.ts';

export interface SessionChange {
  /** Account key. */
  readonly account: string;
  readonly before: Session | undefined;
  readonly after: Session | undefined;
}

/** Sessions as last read or written, by account key. */
export interface KnownSessions {
  readonly get: (account: string) => Session | undefined;
  readonly all: () => readonly Session[];
  /** Sets the session of an account, or removes it, and masks its secrets in the log. */
  readonly set: (account: string, after: Session | undefined) => void;
  readonly onDidChange: Event<SessionChange>;
}

export function createKnownSessions(mask: Mask): KnownSessions {
  const known = new Map<string, Session>();
  const changes = createEmitter<SessionChange>();
  return {
    get: (account) => known.get(account),
    all: () => [...known.values()],
    set: (account, after) => {
      const before = known.get(account);
      if (before === undefined && after === undefined) return;
      if (after === undefined) {
        known.delete(account);
      } else {
        mask.hide(after.accessToken);
        if (after.refreshToken !== undefined) mask.hide(after.refreshToken);
        known.set(account, after);
        if (before !== undefined && before.id === after.id && before.accessToken === after.accessToken) return;
      }
      changes.fire({ account, before, after });
    },
    onDidChange: changes.event,
  };
}
