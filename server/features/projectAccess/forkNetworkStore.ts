import type { Store } from '../../store/open.ts';

/** Returns true if a project is `sourceId` or was forked from it, directly or indirectly. */
export function stemsFrom(store: Store, id: number, sourceId: number): boolean {
  return (
    store.get(
      `WITH RECURSIVE sources (id) AS (
         SELECT $id UNION SELECT p.forked_from_id FROM sources s JOIN projects_view p ON p.id = s.id WHERE p.forked_from_id IS NOT NULL)
       SELECT 1 FROM sources WHERE id = $sourceId`,
      { id, sourceId },
    ) !== undefined
  );
}

/** Returns true if two projects have a common fork ancestor. */
export function haveOneOrigin(store: Store, id: number, otherId: number): boolean {
  const sources = (name: string, start: string): string =>
    `${name} (id) AS (SELECT ${start} UNION
       SELECT p.forked_from_id FROM ${name} s JOIN projects_view p ON p.id = s.id WHERE p.forked_from_id IS NOT NULL)`;
  return (
    store.get(
      `WITH RECURSIVE ${sources('ours', '$id')}, ${sources('theirs', '$otherId')} SELECT 1 FROM ours JOIN theirs USING (id) LIMIT 1`,
      { id, otherId },
    ) !== undefined
  );
}
