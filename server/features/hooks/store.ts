import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { FilterStrategy } from './branchFilter.ts';
import type { FailureState } from './failures.ts';

export interface HookRow extends FailureState {
  readonly id: number;
  /** Null for the hook of a group. */
  readonly project_id: number | null;
  readonly group_id: number | null;
  /** URL, token, URL variables and custom headers: sealed JSON. */
  readonly secrets: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Events by name, as a JSON object of booleans. */
  readonly events: string;
  readonly branch_filter: string;
  readonly branch_filter_strategy: FilterStrategy;
  readonly enable_ssl_verification: 0 | 1;
  readonly created_at: number;
}

/** A hook with what it belongs to. */
export type OwnedHook = Pick<HookRow, 'id' | 'project_id' | 'group_id'>;

/** The project or group that a hook belongs to. */
export type HookContainer = { readonly projectId: number } | { readonly groupId: number };

const COLUMNS = `id, project_id, group_id, secrets, name, description, events, branch_filter, branch_filter_strategy,
  enable_ssl_verification, created_at, recent_failures, disabled_until`;

function condition(container: HookContainer): { readonly where: string; readonly params: { readonly container: number } } {
  return 'projectId' in container
    ? { where: 'project_id = $container', params: { container: container.projectId } }
    : { where: 'group_id = $container', params: { container: container.groupId } };
}

export function countHooks(store: Store, container: HookContainer, cap: number): number {
  const { where, params } = condition(container);
  return countRows(store, `FROM hooks WHERE ${where}`, params, cap);
}

/** Returns the hooks of a project or group, oldest first. */
export function listHooks(store: Store, container: HookContainer, limit: number, offset: number): HookRow[] {
  const { where, params } = condition(container);
  return store.all<HookRow>(`SELECT ${COLUMNS} FROM hooks WHERE ${where} ORDER BY id LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}

export function hookOfContainer(store: Store, container: HookContainer, id: number): HookRow | undefined {
  const { where, params } = condition(container);
  return store.get<HookRow>(`SELECT ${COLUMNS} FROM hooks WHERE ${where} AND id = $id`, { ...params, id });
}

export function hookById(store: Store, id: number): HookRow | undefined {
  return store.get<HookRow>(`SELECT ${COLUMNS} FROM hooks WHERE id = $id`, { id });
}

/** Returns the hooks that events of a project are delivered to: its own and, with `withGroups`, those of its groups. */
export function hooksOfEvents(store: Store, projectId: number, withGroups: boolean): HookRow[] {
  const ofGroups = `UNION ALL SELECT ${COLUMNS} FROM hooks WHERE group_id IN (
    SELECT a.ancestor_id FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
    WHERE p.id = $projectId)`;
  return store.all<HookRow>(
    `SELECT ${COLUMNS} FROM hooks WHERE project_id = $projectId ${withGroups ? ofGroups : ''} ORDER BY id`,
    { projectId },
  );
}

export function insertHook(store: Store, row: Omit<HookRow, 'id'>): number {
  return store.run(
    `INSERT INTO hooks (project_id, group_id, secrets, name, description, events, branch_filter, branch_filter_strategy,
       enable_ssl_verification, created_at, recent_failures, disabled_until)
     VALUES ($project_id, $group_id, $secrets, $name, $description, $events, $branch_filter, $branch_filter_strategy,
       $enable_ssl_verification, $created_at, $recent_failures, $disabled_until)`,
    {
      project_id: row.project_id,
      group_id: row.group_id,
      secrets: row.secrets,
      name: row.name,
      description: row.description,
      events: row.events,
      branch_filter: row.branch_filter,
      branch_filter_strategy: row.branch_filter_strategy,
      enable_ssl_verification: row.enable_ssl_verification,
      created_at: row.created_at,
      recent_failures: row.recent_failures,
      disabled_until: row.disabled_until,
    },
  ).lastId;
}

export function writeHook(store: Store, row: HookRow): void {
  store.run(
    `UPDATE hooks SET secrets = $secrets, name = $name, description = $description, events = $events,
       branch_filter = $branch_filter, branch_filter_strategy = $branch_filter_strategy,
       enable_ssl_verification = $enable_ssl_verification, recent_failures = $recent_failures,
       disabled_until = $disabled_until WHERE id = $id`,
    {
      id: row.id,
      secrets: row.secrets,
      name: row.name,
      description: row.description,
      events: row.events,
      branch_filter: row.branch_filter,
      branch_filter_strategy: row.branch_filter_strategy,
      enable_ssl_verification: row.enable_ssl_verification,
      recent_failures: row.recent_failures,
      disabled_until: row.disabled_until,
    },
  );
}

export function writeFailures(store: Store, id: number, { recent_failures, disabled_until }: FailureState): void {
  store.run('UPDATE hooks SET recent_failures = $recent_failures, disabled_until = $disabled_until WHERE id = $id', {
    id,
    recent_failures,
    disabled_until,
  });
}

export function deleteHookRow(store: Store, id: number): void {
  store.run('DELETE FROM hooks WHERE id = $id', { id });
}

/** Returns the IDs of the projects of a group and its subgroups, newest first. */
export function projectsBelow(store: Store, groupId: number, limit: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT p.id FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
       WHERE a.ancestor_id = $groupId ORDER BY p.id DESC LIMIT $limit`,
      { groupId, limit },
    )
    .map(({ id }) => id);
}
