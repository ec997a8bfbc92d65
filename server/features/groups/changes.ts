import type { AttributeChange } from '../../core/changes.ts';
import type { RemovedContainer } from '../projects/projects.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    groups: GroupChange;
  }
}

/** Changes of groups. Those of their members are changes of projects. */
export type GroupChange =
  | { readonly kind: 'groupCreated'; readonly groupId: number; readonly authorId: number }
  | { readonly kind: 'groupChanged'; readonly groupId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'groupRemoved'; readonly group: RemovedContainer };
