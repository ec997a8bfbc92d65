import type { DeprecationId } from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import type { Profile } from '../../../server/core/profile.ts';
import type { TestServer } from '../../support/server.ts';

/** Before the announcement, between it and the removal, and after the removal. A row that is not removed has no phase `after`. */
export type Phase = 'before' | 'between' | 'after';

/** A server that emulates a release of the phase. */
export interface Stage {
  readonly server: TestServer;
  readonly phase: Phase;
  readonly release: Release;
}

/** Checks how the server behaves in a phase. */
export type Scenario = (stage: Stage) => Promise<void>;

export type Scenarios = { readonly [Id in DeprecationId]?: Scenario };

/** Tier, offering and dialect of the servers of some scenarios. */
export type Profiles = { readonly [Id in DeprecationId]?: Partial<Omit<Profile, 'release'>> };
