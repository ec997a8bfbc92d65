import { compareReleases, type Release } from '../src/contract/releases.ts';

export const dialects = ['documented', 'observed'] as const;
export type Dialect = (typeof dialects)[number];
export const tiers = ['free', 'premium', 'ultimate'] as const;
export type Tier = (typeof tiers)[number];
export const offerings = ['self-managed', 'multi-tenant', 'dedicated'] as const;
export type Offering = (typeof offerings)[number];

/** Releases that can be emulated (docs/interface.md#releases-tiers-and-offerings): 15.1 to 20.0, twelve for each major version. */
export const releases: readonly Release[] = [15, 16, 17, 18, 19, 20]
  .flatMap((major) => Array.from({ length: 12 }, (_, minor): Release => `${major}.${minor}`))
  .filter((release) => compareReleases(release, '15.1') >= 0 && compareReleases(release, '20.0') <= 0);

/** The platform that the server emulates. Routing reads it, and every feature whose parameters, responses or rules depend on it. */
export interface Profile {
  readonly release: Release;
  readonly tier: Tier;
  readonly offering: Offering;
  readonly dialect: Dialect;
}

export const defaultProfile: Profile = { release: '18.11', tier: 'ultimate', offering: 'self-managed', dialect: 'documented' };

/** The profile that a running server emulates, which can change. */
export interface Emulation {
  current(): Profile;
  /** Changes the profile. Requests in progress end with the earlier one. */
  change(profile: Profile): void;
  /** Registers a function that is called after each change. */
  onChange(listener: () => void): void;
}

export function createEmulation(initial: Profile): Emulation {
  let profile = initial;
  const listeners: (() => void)[] = [];
  return {
    current: () => profile,
    change: (next) => {
      profile = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Limits on the profiles under which something exists. An omitted member does not limit. */
export interface Availability {
  /** First release that has it. Default: 15.1. */
  readonly addedIn?: Release | undefined;
  /** First release that no longer has it. */
  readonly removedIn?: Release | undefined;
  readonly tiers?: readonly Tier[];
  readonly offerings?: readonly Offering[];
}

/** Returns true if something exists under a profile (docs/interface.md#releases-tiers-and-offerings). */
export function isAvailable(availability: Availability, profile: Profile): boolean {
  return (
    (availability.addedIn === undefined || compareReleases(profile.release, availability.addedIn) >= 0) &&
    (availability.removedIn === undefined || compareReleases(profile.release, availability.removedIn) < 0) &&
    (availability.tiers === undefined || availability.tiers.includes(profile.tier)) &&
    (availability.offerings === undefined || availability.offerings.includes(profile.offering))
  );
}
