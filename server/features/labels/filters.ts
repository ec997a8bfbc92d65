import type { RequestedLabels } from './rules.ts';
import type { LabelTarget } from './store.ts';

/**
 * Returns the SQL condition of a label filter on lists, and its parameters; `column` contains the ID of the labelled resource. A query can
 * contain several such conditions with different values of `name`.
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
    // The query starts with the labels of these titles, so that a rare label does not need a full scan.
    sql: `${column} IN (
      SELECT k.target_id FROM labels l JOIN label_links k ON k.label_id = l.id
      WHERE l.title IN (SELECT value FROM json_each($${name})) AND k.target_type = '${type}'
      GROUP BY k.target_id HAVING count(DISTINCT l.title) = $${name}Count)`,
    params: { [name]: JSON.stringify(input), [`${name}Count`]: input.length },
  };
}
