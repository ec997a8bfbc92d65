import type { RequestedMilestone } from './rules.ts';

/**
 * A condition for lists of things that have a milestone: `column` holds its number or null, `today` is `YYYY-MM-DD`. The parameters are to be
 * added to those of the query; with `name` one query may have several such conditions.
 */
export function milestoneSql(
  column: string,
  input: RequestedMilestone,
  today: string,
  name = 'milestone',
): { readonly sql: string; readonly params: Readonly<Record<string, string | number>> } | undefined {
  if (input === undefined) return undefined;
  if (input === 'None') return { sql: `${column} IS NULL`, params: {} };
  if (input === 'Any') return { sql: `${column} IS NOT NULL`, params: {} };
  if (input === 'Started') {
    return {
      sql: `${column} IN (SELECT id FROM milestones WHERE state = 'active' AND start_date <= $${name}
        AND (due_date IS NULL OR due_date >= $${name}))`,
      params: { [name]: today },
    };
  }
  if (input === 'Upcoming') {
    // Of each project and each group the one that is due next.
    return {
      sql: `${column} IN (
        SELECT id FROM (
          SELECT id, rank() OVER (PARTITION BY project_id, group_id ORDER BY due_date) AS place
          FROM milestones WHERE state = 'active' AND due_date > $${name})
        WHERE place = 1)`,
      params: { [name]: today },
    };
  }
  if ('id' in input) return { sql: `${column} = $${name}`, params: { [name]: input.id } };
  return { sql: `${column} IN (SELECT id FROM milestones WHERE title = $${name})`, params: { [name]: input.title } };
}
