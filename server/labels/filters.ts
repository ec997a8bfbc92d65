import type { RequestedLabels } from './rules.ts';
import type { LabelTarget } from './store.ts';

/**
 * A condition for lists of things that carry labels: `column` holds their number. What has no wish has no condition. The parameters are to be
 * added to those of the query; with `name` one query may have several such conditions.
 */
export function labelledSql(
  type: LabelTarget,
  column: string,
  input: RequestedLabels,
  name = 'labels',
): { readonly sql: string; readonly params: Readonly<Record<string, string | number>> } | undefined {
  if (input === undefined) return undefined;
  const carried = `SELECT 1 FROM label_links k WHERE k.target_type = '${type}' AND k.target_id = ${column}`;
  if (input === 'None') return { sql: `NOT EXISTS (${carried})`, params: {} };
  if (input === 'Any') return { sql: `EXISTS (${carried})`, params: {} };
  return {
    // The few labels of these titles first, then what carries them, so that a rare label does not cost a look at everything.
    sql: `${column} IN (
      SELECT k.target_id FROM labels l JOIN label_links k ON k.label_id = l.id
      WHERE l.title IN (SELECT value FROM json_each($${name})) AND k.target_type = '${type}'
      GROUP BY k.target_id HAVING count(DISTINCT l.title) = $${name}Count)`,
    params: { [name]: JSON.stringify(input), [`${name}Count`]: input.length },
  };
}
