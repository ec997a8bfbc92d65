import { createGroup } from '../../server/features/groups/manageGroups.ts';
import { findUser } from '../../server/features/users/accounts.ts';
import { createIssue } from '../../server/features/issues/manageIssues.ts';
import type { Platform } from '../../server/platform.ts';
import { createProject } from '../../server/features/projects/manageProjects.ts';

export const EVENTS = 1_000_000;
export const AUDIT_EVENTS = 1_000_000;
export const ISSUES = 200_000;
/** Share of all rows that belong to the large project. */
const LARGE = 0.9;
const DAY = 86_400_000;

/**
 * Creates a project with nearly all of 200,000 issues and 1,000,000 events, and as many audit events of the last 29 days. The features
 * create one row of each kind; SQL copies it with other ids, times and titles.
 */
export function fillMillions(platform: Platform): { readonly project: number; readonly group: number } {
  const { store } = platform;
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('user root is missing');
  const now = platform.clock.now();
  const group = createGroup(platform, root, { name: 'Bench', path: 'bench', visibility: 'public' }).group.id;
  const [large, small] = ['Large', 'Small'].map((name) => {
    const project = createProject(platform, root, { name, visibility: 'public', namespaceId: group });
    createIssue(platform, project, root, { title: 'Signal 0 is late', description: 'Seen on track 0; the relay is sound.' });
    return project;
  });
  if (large === undefined || small === undefined) throw new Error('projects are missing');
  const numbers = (count: number): string =>
    `WITH RECURSIVE n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < ${count})`;
  const copied = (table: string, changed: Readonly<Record<string, string>>, of: string): string => {
    const columns = store
      .all<{ name: string }>('SELECT name FROM pragma_table_info($table)', { table })
      .map(({ name }) => name)
      .filter((name) => name !== 'id');
    const values = columns.map((name) => changed[name] ?? `t.${name}`);
    return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM n CROSS JOIN (SELECT * FROM ${table} WHERE ${of}) t`;
  };
  for (const [project, share] of [
    [large, LARGE],
    [small, 1 - LARGE],
  ] as const) {
    const { id } = project.project;
    const issues = Math.round(ISSUES * share);
    store.run(
      `${numbers(issues)} ${copied(
        'issues',
        {
          iid: 't.iid + k',
          title: "'Signal ' || k || ' is late'",
          description: "'Seen on track ' || (k % 12) || '; the relay is sound.'",
          state: "CASE k % 3 WHEN 0 THEN 'closed' ELSE 'opened' END",
          created_at: `${now - 365 * DAY} + k * 1000`,
          updated_at: `${now - 365 * DAY} + k * 1500`,
        },
        `project_id = ${id} AND iid = 1`,
      )}`,
    );
    store.run(`UPDATE projects SET last_issue_iid = last_issue_iid + ${issues} WHERE id = ${id}`);
    const event = `id = (SELECT min(id) FROM events WHERE project_id = ${id} AND target_type = 'Issue')`;
    const created = { created_at: `${now - 365 * DAY} + k * 30`, target_title: "'Signal ' || k || ' is late'" };
    store.run(`${numbers(Math.round(EVENTS * share))} ${copied('events', created, event)}`);
    const audited = `entity_type = 'Project' AND entity_id = ${id} LIMIT 1`;
    store.run(
      `${numbers(Math.round(AUDIT_EVENTS * share))} ${copied('audit_events', { created_at: `${now - 29 * DAY} + k * 2` }, audited)}`,
    );
  }
  return { project: large.project.id, group };
}
