import { isoTime } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { SentDelivery } from './deliveryStore.ts';
import { namesOf } from './events.ts';
import { alertStatus } from './failures.ts';
import { objectIn, stringsIn } from './json.ts';
import type { Hook } from './manageHooks.ts';
import type { groupHook, HookEventResponse, projectHook } from './responses.ts';

/** Presents a hook of a project or group. Its token and the values of its variables and headers are never shown. */
export function presentHook({ clock }: Core, hook: Hook): ResponseOf<typeof projectHook> | ResponseOf<typeof groupHook> {
  const { secrets, events, project_id: projectId, group_id: groupId } = hook;
  const keysOf = (pairs: object) => Object.keys(pairs).map((key) => ({ key }));
  const members = {
    id: hook.id,
    url: secrets.url,
    name: hook.name,
    description: hook.description,
    created_at: isoTime(hook.created_at),
    ...events,
    push_events_branch_filter: hook.branch_filter,
    branch_filter_strategy: hook.branch_filter_strategy,
    enable_ssl_verification: hook.enable_ssl_verification === 1,
    alert_status: alertStatus(hook, clock.now()),
    disabled_until: hook.disabled_until === null ? null : isoTime(hook.disabled_until),
    custom_webhook_template: null,
    url_variables: keysOf(secrets.urlVariables),
    custom_headers: keysOf(secrets.customHeaders),
  } as const;
  return projectId === null ? { ...members, group_id: groupId ?? 0 } : { ...members, project_id: projectId };
}

/** Presents an attempted delivery. */
export function presentDelivery(row: SentDelivery): HookEventResponse {
  return {
    id: row.id,
    url: row.url,
    trigger: namesOf(row.event).trigger,
    request_headers: stringsIn(row.request_headers),
    request_data: objectIn(row.payload),
    response_headers: stringsIn(row.response_headers),
    response_body: row.response_body,
    execution_duration: row.execution_duration,
    response_status: row.response_status,
  };
}
