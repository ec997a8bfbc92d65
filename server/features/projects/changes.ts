import type { AttributeChange } from '../../core/changes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    projects: ProjectChange;
  }
}

/** Changes of projects. */
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
    };

/** A project or group that no longer exists. */
export interface RemovedContainer {
  readonly id: number;
  readonly name: string;
  readonly fullPath: string;
}
