import { compareReleases, type Release } from '../src/contract/releases.ts';

export type Dialect = 'documented' | 'observed';
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
