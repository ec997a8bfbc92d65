import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import { createEmitter } from '../support/emitter.ts';
import type { MachineLock } from '../support/machineLock.ts';
import type { NotificationApi } from './api.ts';
import { type FailedChange, type MadeChange, makeChange, undoChange } from './changes.ts';
import type { ProfileChange, ProfileEntry, TimedProfile } from './profileRecord.ts';
import type { ProfileStore } from './profileStore.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';
import { isSameSetting, type KnownSetting } from './settings.ts';

export interface TimedProfilesSettings {
  readonly store: ProfileStore;
  readonly lock: MachineLock;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface ProfileToStart {
  readonly account: string;
  readonly name: string;
  /** End in milliseconds since the epoch. */
  readonly until: number;
  readonly changes: readonly ProfileChange[];
}

export interface ProfileOutcome {
  readonly made: readonly MadeChange[];
  readonly failed: readonly FailedChange[];
  /** Scopes whose settings were changed by hand meanwhile and therefore kept. */
  readonly skipped: readonly NotificationScope[];
}

/** Profiles that end by themselves and restore the settings from before. */
export interface TimedProfiles {
  /** Returns the profile of the account as last read. */
  readonly current: (account: string) => TimedProfile | undefined;
  readonly onDidChange: Event<void>;
  /** Stores the present settings and makes those of the profile. A profile that is on is ended first. */
  readonly start: (api: NotificationApi, profile: ProfileToStart) => Promise<ProfileOutcome>;
  /** Restores the earlier settings now. What fails is tried again by `check`. */
  readonly end: (api: NotificationApi, account: string) => Promise<ProfileOutcome>;
  /** Reads the profile of the account and restores the earlier settings if its time has passed; another window may have done so. */
  readonly check: (api: NotificationApi, account: string) => Promise<ProfileOutcome | undefined>;
}

export function createTimedProfiles({ store, lock, now }: TimedProfilesSettings): TimedProfiles {
  const changes = createEmitter<void>();
  const known = new Map<string, TimedProfile>();

  const locked = <T>(account: string, work: () => Promise<T>): Promise<T> => lock(`notifications.profile/${account}`, work);

  function setKnown(account: string, profile: TimedProfile | undefined): void {
    const before = known.get(account);
    if (profile === undefined) known.delete(account);
    else known.set(account, profile);
    if (before?.until !== profile?.until || before?.name !== profile?.name) changes.fire();
  }

  async function read(account: string): Promise<TimedProfile | undefined> {
    const profile = await store.read(account);
    setKnown(account, profile);
    return profile;
  }

  async function save(profile: TimedProfile): Promise<void> {
    if (profile.entries.length === 0) await store.remove(profile.account);
    else await store.write(profile);
    setKnown(profile.account, profile.entries.length === 0 ? undefined : profile);
  }

  async function apply(api: NotificationApi, { account, name, until, changes: wanted }: ProfileToStart): Promise<ProfileOutcome> {
    const made: MadeChange[] = [];
    const failed: FailedChange[] = [];
    let profile: TimedProfile = { account, name, until, entries: [] };
    const put = async (entry: ProfileEntry): Promise<void> => {
      const others = profile.entries.filter(({ scope }) => keyOfScope(scope) !== keyOfScope(entry.scope));
      profile = { ...profile, entries: [...others, entry] };
      await save(profile);
    };
    for (const { scope, change } of wanted) {
      try {
        const before = await api.read(scope);
        const after = { level: change.level ?? before.level, switches: { ...before.switches, ...change.switches } };
        // The earlier settings are stored before they are changed, so that they are restored whatever happens next.
        await put({ scope, before, after });
        const done = await makeChange(api, { scope, before, change }, (learned) => put({ scope, before: learned, after }));
        await put({ scope, before: done.before, after: done.after });
        made.push(done);
      } catch (error) {
        failed.push({ scope, failure: failureOfAny(error) });
      }
    }
    // Nothing was changed, or that is unknown: what was changed after all is restored.
    if (made.length === 0 && profile.entries.length > 0) await restore(api, profile);
    return { made, failed, skipped: [] };
  }

  async function restore(api: NotificationApi, profile: TimedProfile): Promise<ProfileOutcome> {
    const made: MadeChange[] = [];
    const failed: FailedChange[] = [];
    const skipped: NotificationScope[] = [];
    let rest = profile;
    for (const entry of profile.entries) {
      try {
        const done = await restoreEntry(api, entry);
        if (done === 'skipped') skipped.push(entry.scope);
        else if (done !== 'restored') made.push(done);
      } catch (error) {
        const failure = failureOfAny(error);
        failed.push({ scope: entry.scope, failure });
        if (!isFinal(failure)) continue;
      }
      rest = { ...rest, entries: rest.entries.filter((one) => one !== entry) };
      await save(rest);
    }
    return { made, failed, skipped };
  }

  return {
    current: (account) => known.get(account),
    onDidChange: changes.event,
    start: (api, profile) =>
      locked(profile.account, async () => {
        const running = await read(profile.account);
        if (running !== undefined) {
          const ended = await restore(api, running);
          // Otherwise the new profile would replace settings that have not been restored yet.
          if (known.has(profile.account)) return ended;
        }
        return apply(api, profile);
      }),
    end: (api, account) =>
      locked(account, async () => {
        const profile = await read(account);
        if (profile === undefined) return { made: [], failed: [], skipped: [] };
        const ended = { ...profile, until: Math.min(profile.until, now()) };
        await save(ended);
        return restore(api, ended);
      }),
    check: async (api, account) => {
      const seen = await read(account);
      if (seen === undefined || seen.until > now()) return undefined;
      return locked(account, async () => {
        // Another window may have restored the settings, or started another profile, while this one waited.
        const profile = await read(account);
        return profile === undefined || profile.until > now() ? undefined : restore(api, profile);
      });
    },
  };
}

async function restoreEntry(
  api: NotificationApi,
  { scope, before, after }: ProfileEntry,
): Promise<MadeChange | 'skipped' | 'restored'> {
  const present = await api.read(scope);
  if (isSameSetting(present, before)) return 'restored';
  // The level becomes custom before the switches are changed. If that was interrupted, the profile has no other effect.
  const isHalfway = before.level !== 'custom' && isSameSetting(present, { ...before, level: 'custom' });
  const done = await undoChange(api, { scope, before, after: isHalfway ? settingOf(present) : after });
  return done ?? 'skipped';
}

function settingOf({ level, switches }: KnownSetting): KnownSetting {
  return { level, switches };
}

/** Returns true if the instance says that a further attempt cannot succeed: the group or project was deleted, or is no longer visible. */
function isFinal({ kind, isOwnWord }: ApiFailure): boolean {
  return isOwnWord && (kind === 'notFound' || kind === 'forbidden');
}
