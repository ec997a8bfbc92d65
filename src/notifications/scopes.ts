import { apiPath } from '../api/encode.ts';
import { readGroupBasic } from '../contract/groups.ts';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import { readProjectBasic } from '../contract/projects.ts';

/** Global settings of the account, a group or a project. */
export interface NotificationScope {
  readonly kind: 'global' | 'group' | 'project';
  /** Undefined for the global settings, and if only the path is known; the API accepts either. */
  readonly id: number | undefined;
  /** Full path; empty for the global settings. */
  readonly path: string;
  readonly name: string;
  /** Full paths of the groups above, nearest first. */
  readonly parents: readonly string[];
}

export const globalScope: NotificationScope = { kind: 'global', id: undefined, path: '', name: '', parents: [] };

/** Returns a key that is unique within an account. */
export function keyOfScope({ kind, path }: Pick<NotificationScope, 'kind' | 'path'>): string {
  return `${kind}:${path}`;
}

/** Returns a group of which only the path may be known. */
export function groupScope(path: string, id?: number, name?: string): NotificationScope {
  return { kind: 'group', id, path, name: name ?? path.split('/').at(-1) ?? path, parents: pathsAbove(path) };
}

/** Returns the scope and those it inherits from, nearest first. */
export function chainOf(scope: NotificationScope): readonly NotificationScope[] {
  if (scope.kind === 'global') return [scope];
  return [scope, ...scope.parents.map((path) => groupScope(path)), globalScope];
}

/** Returns the path of the settings in the API. */
export function settingsPath({ kind, id, path }: NotificationScope): string {
  switch (kind) {
    case 'global':
      return '/notification_settings';
    case 'group':
      return apiPath`/groups/${id ?? path}/notification_settings`;
    case 'project':
      return apiPath`/projects/${id ?? path}/notification_settings`;
  }
}

export function readGroupScope(value: unknown): NotificationScope | undefined {
  const group = readGroupBasic(value);
  return group && groupScope(group.full_path, group.id, group.name);
}

export function readProjectScope(value: unknown): NotificationScope | undefined {
  const project = readProjectBasic(value);
  if (project === undefined) return undefined;
  const { namespace } = project;
  const isInGroup = isJsonObject(namespace) && namespace.kind === 'group';
  const parents = isInGroup ? pathsAbove(project.path_with_namespace) : [];
  return { kind: 'project', id: project.id, path: project.path_with_namespace, name: project.name, parents };
}

/** Reads a scope that was stored as JSON. */
export function readStoredScope(value: unknown): NotificationScope | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind } = value;
  if (kind === 'global') return globalScope;
  const path = stringMember(value, 'path') ?? '';
  if ((kind !== 'group' && kind !== 'project') || path === '') return undefined;
  const parents = Array.isArray(value.parents) ? value.parents.filter((parent) => typeof parent === 'string') : [];
  return { kind, id: integerMember(value, 'id'), path, name: stringMember(value, 'name') ?? path, parents };
}

/** Returns the full paths of the namespaces above, nearest first. */
function pathsAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
}
