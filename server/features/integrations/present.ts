import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { kindOf } from './catalog.ts';
import { eventsOf, type Integration, propertiesOf } from './manageIntegrations.ts';
import type { integrationResponse, listedIntegration } from './responses.ts';

/** Presents an integration as in lists, without its properties. */
export function presentListed(integration: Integration): ResponseOf<typeof listedIntegration> {
  return {
    id: integration.id,
    title: kindOf(integration.slug).title,
    slug: integration.slug,
    created_at: isoTime(integration.created_at),
    updated_at: isoTime(integration.updated_at),
    active: integration.active === 1,
    ...eventsOf(integration),
  };
}

/** Presents an integration with its properties, without secrets. */
export function presentIntegration(integration: Integration): ResponseOf<typeof integrationResponse> {
  return { ...presentListed(integration), properties: propertiesOf(integration) };
}
