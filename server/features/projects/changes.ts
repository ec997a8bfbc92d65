import type { AttributeChange } from '../../core/changes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    projects: ProjectChange;
  }
}

/** Changes of projects, and of the members of projects and groups. */
export type ProjectChange =
  | { readonly kind: 'projectCreated'; readonly projectId: number; readonly authorId: number }
  | { readonly kind: 'projectChanged'; readonly projectId: number; readonly attributes: readonly AttributeChange[] }
  /** `groupId` is null for a personal project. */
  | { readonly kind: 'projectRemoved'; readonly project: RemovedContainer; readonly groupId: number | null }
  /** The full path has changed. `authorId` is null if no request caused it. */
  | {
      readonly kind: 'projectMoved';
      readonly projectId: number;
      readonly formerPath: string;
      readonly authorId: number | null;
    }
  | MembershipChange;

/** A project or group that no longer exists. */
export interface RemovedContainer {
  readonly id: number;
  readonly name: string;
  readonly fullPath: string;
}

/** `authorId` is omitted where the author is the sender of the request (`server/core/actor.ts`). */
type MembershipChange =
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
