import { compareReleases, type Release } from '../../src/contract/releases.ts';
import type { Offering, Profile, Tier } from '../../src/contract/emulation.ts';

export {
  defaultProfile,
  type Dialect,
  dialects,
  type Offering,
  offerings,
  type Profile,
  releases,
  type Tier,
  tiers,
} from '../../src/contract/emulation.ts';

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
