import type { Availability } from '../../core/profile.ts';

// Events that a hook can be called for, as members of requests and responses.

/** Events that happen on this server: the value of `X-Gitlab-Event`, and the trigger in the list of deliveries. */
const deliveredEvents = {
  push_events: { header: 'Push Hook', trigger: 'push_hooks' },
  tag_push_events: { header: 'Tag Push Hook', trigger: 'tag_push_hooks' },
  issues_events: { header: 'Issue Hook', trigger: 'issue_hooks' },
  confidential_issues_events: { header: 'Confidential Issue Hook', trigger: 'confidential_issue_hooks' },
  note_events: { header: 'Note Hook', trigger: 'note_hooks' },
  confidential_note_events: { header: 'Confidential Note Hook', trigger: 'confidential_note_hooks' },
  merge_requests_events: { header: 'Merge Request Hook', trigger: 'merge_request_hooks' },
  job_events: { header: 'Job Hook', trigger: 'job_hooks' },
  pipeline_events: { header: 'Pipeline Hook', trigger: 'pipeline_hooks' },
  releases_events: { header: 'Release Hook', trigger: 'release_hooks' },
} as const;

export type DeliveredEvent = keyof typeof deliveredEvents;

/** Events that never happen here, because the server lacks what they are about. Clients send them. */
export const absentEvents = [
  'wiki_page_events',
  'deployment_events',
  'feature_flag_events',
  'emoji_events',
  'resource_access_token_events',
  'repository_update_events',
] as const;

export type EventName = DeliveredEvent | (typeof absentEvents)[number];

export const deliveredEventNames = Object.keys(deliveredEvents).filter(isDelivered);

export const eventNames: readonly EventName[] = [...deliveredEventNames, ...absentEvents];

function isDelivered(name: string): name is DeliveredEvent {
  return name in deliveredEvents;
}

/** Returns the names of an event in a delivery. */
export function namesOf(event: DeliveredEvent): { readonly header: string; readonly trigger: string } {
  return deliveredEvents[event];
}

/** Tiers that have the hooks of groups. */
export const groupHooks: Availability = { tiers: ['premium', 'ultimate'] };
