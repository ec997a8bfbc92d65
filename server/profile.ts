import { compareReleases, type Release } from '../src/contract/releases.ts';

export type Dialect = 'documented' | 'observed';
export const tiers = ['free', 'premium', 'ultimate'] as const;
export type Tier = (typeof tiers)[number];
export const offerings = ['self-managed', 'multi-tenant', 'dedicated'] as const;
export type Offering = (typeof offerings)[number];

/** The releases that can be imitated (docs/interface.md#releases-tiers-and-offerings): 15.1 to 20.0, of which each major one has twelve. */
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

/** The limits a ledger row puts on where it exists; what is left out does not limit. */
export interface Availability {
  /** First release that has it; 15.1 where none is known. */
  readonly addedIn?: Release | undefined;
  /** First release that no longer has it. */
  readonly removedIn?: Release | undefined;
  readonly tiers?: readonly Tier[];
  readonly offerings?: readonly Offering[];
}

/** Whether something exists under a profile (docs/interface.md#releases-tiers-and-offerings). */
export function isAvailable(row: Availability, profile: Profile): boolean {
  return (
    (row.addedIn === undefined || compareReleases(profile.release, row.addedIn) >= 0) &&
    (row.removedIn === undefined || compareReleases(profile.release, row.removedIn) < 0) &&
    (row.tiers === undefined || row.tiers.includes(profile.tier)) &&
    (row.offerings === undefined || row.offerings.includes(profile.offering))
  );
}
