import { isJsonObject } from '../../../src/contract/json.ts';
import { nothingFound } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { seal } from '../../core/sealing.ts';
import { type EventName, type IntegrationSlug, kindOf } from './catalog.ts';
import { integrationBySlug, type IntegrationRow, writeInactive, writeIntegration } from './store.ts';

// Integrations of projects with other programs: their settings (docs/interface.md#integrations).

export type Integration = IntegrationRow;

/** Sent settings: properties and events by name. Undefined ones are omitted. */
export type SentSettings = Readonly<Record<string, string | boolean | undefined>>;

/** Returns the object in a JSON column. */
function stored(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? value : {};
}

/**
 * Activates an integration with these settings. Omitted properties keep their value; the secrets are replaced.
 */
export function setIntegration(core: Core, project: Project, slug: IntegrationSlug, sent: SentSettings): Integration {
  const { store, clock } = core;
  const kind = kindOf(slug);
  return store.transaction(() => {
    const current = integrationBySlug(store, project.id, slug);
    const shown = Object.keys(kind.properties).filter((name) => kind.properties[name]?.kind !== 'secret');
    const secret = Object.keys(kind.properties).filter((name) => kind.properties[name]?.kind === 'secret');
    const among = (names: readonly string[]): Record<string, unknown> =>
      Object.fromEntries(names.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])));
    writeIntegration(
      store,
      {
        project_id: project.id,
        slug,
        properties: JSON.stringify({ ...(current === undefined ? {} : stored(current.properties)), ...among(shown) }),
        events: JSON.stringify({ ...(current === undefined ? {} : stored(current.events)), ...among(kind.events) }),
        secrets: sealed(core, project, slug, among(secret)),
      },
      clock.now(),
    );
    return mustFindIntegration(core, project, slug);
  });
}

function sealed(core: Core, project: Project, slug: IntegrationSlug, secrets: Readonly<Record<string, unknown>>): string {
  return seal(core, `integration ${slug} of project ${project.id}`, JSON.stringify(secrets));
}

/** @throws {NotFound} if the integration was never set. */
export function mustFindIntegration({ store }: Core, project: Project, slug: IntegrationSlug): Integration {
  const integration = integrationBySlug(store, project.id, slug);
  if (integration === undefined) throw nothingFound('the project has never had this integration');
  return integration;
}

/** Deactivates an integration and forgets its settings. */
export function disableIntegration(core: Core, project: Project, slug: IntegrationSlug): void {
  const { store, clock } = core;
  store.transaction(() => {
    writeInactive(store, mustFindIntegration(core, project, slug).id, sealed(core, project, slug, {}), clock.now());
  });
}

/** Returns the shown properties of an integration; those that were never set are null. */
export function propertiesOf({ slug, properties }: Integration): Readonly<Record<string, string | boolean | null>> {
  const values = stored(properties);
  const shown = Object.entries(kindOf(slug).properties).filter(([, { kind }]) => kind !== 'secret');
  return Object.fromEntries(
    shown.map(([name]) => {
      const value = values[name];
      return [name, typeof value === 'string' || typeof value === 'boolean' ? value : null];
    }),
  );
}

/** Returns which events an integration is told of. All are on by default. */
export function eventsOf({ events }: Integration): Readonly<Record<EventName, boolean>> {
  const values = stored(events);
  const isOn = (name: EventName): boolean => values[name] !== false;
  return {
    commit_events: isOn('commit_events'),
    push_events: isOn('push_events'),
    issues_events: isOn('issues_events'),
    confidential_issues_events: isOn('confidential_issues_events'),
    merge_requests_events: isOn('merge_requests_events'),
    tag_push_events: isOn('tag_push_events'),
    note_events: isOn('note_events'),
    confidential_note_events: isOn('confidential_note_events'),
    pipeline_events: isOn('pipeline_events'),
    wiki_page_events: isOn('wiki_page_events'),
    job_events: isOn('job_events'),
    comment_on_event_enabled: isOn('comment_on_event_enabled'),
  };
}
