import type * as vscode from 'vscode';
import { readSavedProfile, type SavedProfile } from './profileRecord.ts';

const PREFIX = 'notifications.savedProfiles/';

/** Profiles that a user has saved, per account. */
export interface SavedProfiles {
  readonly list: (account: string) => readonly SavedProfile[];
  readonly set: (account: string, profiles: readonly SavedProfile[]) => PromiseLike<void>;
}

export function createSavedProfiles(memory: vscode.Memento): SavedProfiles {
  return {
    list: (account) => {
      const stored: unknown = memory.get(`${PREFIX}${account}`);
      return Array.isArray(stored) ? stored.map(readSavedProfile).filter((profile) => profile !== undefined) : [];
    },
    set: (account, next) => memory.update(`${PREFIX}${account}`, next.length === 0 ? undefined : next),
  };
}
