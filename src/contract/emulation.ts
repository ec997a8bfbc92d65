import { isJsonObject } from './json.ts';
import { compareReleases, type Release } from './releases.ts';

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

/** Returns the profile with each invalid or missing member replaced by its default. */
export function profileFrom(values: Readonly<Record<keyof Profile, unknown>>): Profile {
  return {
    release: releases.find((release) => release === values.release) ?? defaultProfile.release,
    tier: tiers.find((tier) => tier === values.tier) ?? defaultProfile.tier,
    offering: offerings.find((offering) => offering === values.offering) ?? defaultProfile.offering,
    dialect: dialects.find((dialect) => dialect === values.dialect) ?? defaultProfile.dialect,
  };
}

/** Returns the profile in a response of `/_local/profile`, or undefined if the response is not one. */
export function readProfile(value: unknown): Profile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { release, tier, offering, dialect } = value;
  const profile = profileFrom({ release, tier, offering, dialect });
  const isSame =
    profile.release === release && profile.tier === tier && profile.offering === offering && profile.dialect === dialect;
  return isSame ? profile : undefined;
}
