import * as z from 'zod';
import { id, listOf, moment, named } from '../../http/responses.ts';
import { filterStrategies } from './branchFilter.ts';
import { alertStatuses } from './failures.ts';

const key = () => z.strictObject({ key: z.string() });

const members = () => ({
  id: id(),
  url: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  created_at: moment(),
  push_events: z.boolean(),
  tag_push_events: z.boolean(),
  issues_events: z.boolean(),
  confidential_issues_events: z.boolean(),
  note_events: z.boolean(),
  confidential_note_events: z.boolean(),
  merge_requests_events: z.boolean(),
  job_events: z.boolean(),
  pipeline_events: z.boolean(),
  releases_events: z.boolean(),
  wiki_page_events: z.boolean(),
  deployment_events: z.boolean(),
  feature_flag_events: z.boolean(),
  emoji_events: z.boolean(),
  resource_access_token_events: z.boolean(),
  repository_update_events: z.boolean(),
  push_events_branch_filter: z.string(),
  branch_filter_strategy: z.enum(filterStrategies),
  enable_ssl_verification: z.boolean(),
  alert_status: z.enum(alertStatuses),
  disabled_until: moment().nullable(),
  custom_webhook_template: z.null(),
  url_variables: z.array(key()),
  custom_headers: z.array(key()),
});

export const projectHook = named('ProjectHook', () => z.strictObject({ ...members(), project_id: id() }));
export const groupHook = named('GroupHook', () => z.strictObject({ ...members(), group_id: id() }));

const headers = () => z.record(z.string(), z.string());

const hookEvent = named('HookEvent', () =>
  z.strictObject({
    id: id(),
    url: z.string(),
    trigger: z.string(),
    request_headers: headers(),
    request_data: z.record(z.string(), z.unknown()),
    response_headers: headers(),
    response_body: z.string(),
    execution_duration: z.number(),
    response_status: z.string(),
  }),
);

export const hookEvents = listOf(hookEvent);

export const triggered = named('HookTriggered', () => z.strictObject({ message: z.literal('201 Created') }));
export const resent = named('HookResent', () => z.strictObject({ response_status: z.int() }));

export type HookEventResponse = z.output<ReturnType<typeof hookEvent>>;
