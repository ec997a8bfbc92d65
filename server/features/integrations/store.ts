import type { Store } from '../../store/open.ts';
import type { IntegrationSlug } from './catalog.ts';

export interface IntegrationRow {
  readonly id: number;
  readonly project_id: number;
  readonly slug: IntegrationSlug;
  readonly active: 0 | 1;
  /** Shown properties, as JSON. */
  readonly properties: string;
  /** Secret properties: sealed JSON. */
  readonly secrets: string;
  /** Events that are switched on or off, as JSON. */
  readonly events: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Returns the integrations of a project, oldest first. */
export function integrationsOf(store: Store, projectId: number): IntegrationRow[] {
  return store.all<IntegrationRow>('SELECT * FROM integrations WHERE project_id = $projectId ORDER BY id', { projectId });
}

export function integrationBySlug(store: Store, projectId: number, slug: IntegrationSlug): IntegrationRow | undefined {
  return store.get<IntegrationRow>('SELECT * FROM integrations WHERE project_id = $projectId AND slug = $slug', {
    projectId,
    slug,
  });
}

export function writeIntegration(
  store: Store,
  row: Pick<IntegrationRow, 'project_id' | 'slug' | 'properties' | 'secrets' | 'events'>,
  now: number,
): void {
  store.run(
    `INSERT INTO integrations (project_id, slug, active, properties, secrets, events, created_at, updated_at)
     VALUES ($project_id, $slug, 1, $properties, $secrets, $events, $now, $now)
     ON CONFLICT (project_id, slug) DO UPDATE SET active = 1, properties = $properties, secrets = $secrets, events = $events,
       updated_at = $now`,
    { ...row, now },
  );
}

export function writeInactive(store: Store, id: number, secrets: string, now: number): void {
  store.run(
    "UPDATE integrations SET active = 0, properties = '{}', events = '{}', secrets = $secrets, updated_at = $now WHERE id = $id",
    {
      id,
      secrets,
      now,
    },
  );
}
