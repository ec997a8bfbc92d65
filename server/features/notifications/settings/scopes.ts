import type { SettingScope } from '../../../../src/contract/notifications.ts';
import type { Core } from '../../../core/core.ts';
import { groupsAround } from './store.ts';

/** A project with its namespace, or a group. */
export interface SettingContainer {
  readonly kind: 'project' | 'group';
  readonly id: number;
  readonly path: string;
  /** ID of the namespace of a project, or of the group itself. */
  readonly namespaceId: number;
}

/** Returns what users can set levels for that matter in a project or group: itself and the groups above, nearest first. */
export function scopesAround({ store }: Core, { kind, id, path, namespaceId }: SettingContainer): readonly SettingScope[] {
  const groups = groupsAround(store, namespaceId).map((group) => ({ kind: 'group' as const, ...group }));
  return kind === 'project' ? [{ kind, id, path }, ...groups] : groups;
}
