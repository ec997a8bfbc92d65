import type { AttributeChange } from '../../core/changes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    users: AccountChange;
  }
}

/** Changes of users and their credentials. They contain no secrets. */
export type AccountChange =
  | { readonly kind: 'userCreated' | 'passwordChanged' | 'accountLocked' | 'accountUnlocked'; readonly userId: number }
  | { readonly kind: 'userChanged'; readonly userId: number; readonly attributes: readonly AttributeChange[] }
  /** Published after the deletion. */
  | {
      readonly kind: 'userRemoved';
      readonly user: { readonly id: number; readonly name: string; readonly username: string };
    }
  | { readonly kind: 'userStateChanged'; readonly userId: number; readonly action: UserStateAction }
  | { readonly kind: 'secondFactorChanged'; readonly userId: number; readonly enabled: boolean }
  /**
   * `userId` is null for an unknown username. The name itself is not published, because users sometimes type passwords into the wrong
   * field.
   */
  | { readonly kind: 'signInFailed'; readonly userId: number | null; readonly by: 'password' | 'code' }
  | { readonly kind: 'signedIn'; readonly userId: number; readonly by: 'password' | 'code' }
  | { readonly kind: 'personalTokenMade' | 'personalTokenRevoked'; readonly tokenId: number; readonly userId: number };

export type UserStateAction = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate';
