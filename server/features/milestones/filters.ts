import type { RequestedMilestone } from './rules.ts';

/**
 * Returns the SQL condition of a milestone filter, or undefined if everything matches. `column` contains the ID of the milestone or null;
 * `today` is `YYYY-MM-DD`. The parameters are added to those of the query. A different `name` allows several such conditions in one query.
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
  const conditions = {
    Started: `start_date <= $${name}`,
    Current: `start_date <= $${name} AND (due_date IS NULL OR due_date >= $${name})`,
    Future: `start_date > $${name}`,
  } as const;
  if (input === 'Started' || input === 'Current' || input === 'Future') {
    return {
      sql: `${column} IN (SELECT id FROM milestones WHERE state = 'active' AND ${conditions[input]})`,
      params: { [name]: today },
    };
  }
  if (input === 'Upcoming') {
    // The milestone of each project and each group that is due next.
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
