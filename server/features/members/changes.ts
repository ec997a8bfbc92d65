declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    members: MembershipChange;
  }
}

/** Changes of the members of projects and groups. `authorId` is omitted where the author is the sender of the request (`server/core/actor.ts`). */
export type MembershipChange =
  | {
      readonly kind: 'memberJoined';
      readonly projectId: number;
      readonly userId: number;
      readonly level: number;
      readonly authorId: number;
    }
  | {
      readonly kind: 'memberChanged';
      readonly projectId: number;
      readonly userId: number;
      readonly from: Membership;
      readonly to: Membership;
    }
  | { readonly kind: 'memberLeft' | 'memberExpired'; readonly projectId: number; readonly userId: number }
  | {
      readonly kind: 'groupMemberJoined';
      readonly groupId: number;
      readonly userId: number;
      readonly level: number;
      readonly authorId: number;
    }
  | {
      readonly kind: 'groupMemberChanged';
      readonly groupId: number;
      readonly userId: number;
      readonly from: Membership;
      readonly to: Membership;
    }
  | { readonly kind: 'groupMemberLeft' | 'groupMemberExpired'; readonly groupId: number; readonly userId: number };

interface Membership {
  readonly level: number;
  readonly expiresAt: number | null;
}
