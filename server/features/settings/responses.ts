import * as z from 'zod';
import { count, id, limitedMember, named } from '../../http/responses.ts';

/** Settings that do not exist in the emulated release or offering are omitted. */
export const settingsResponse = named('ApplicationSettings', () =>
  z.strictObject({
    password_authentication_enabled_for_git: limitedMember({ removedIn: '19.0' }, z.boolean().exactOptional()),
    ropc_without_client_credentials: limitedMember({ addedIn: '17.11', removedIn: '19.0' }, z.boolean().exactOptional()),
    // 0 means no limit.
    offset_pagination_limit: count(),
    throttle_unauthenticated_api_enabled: z.boolean(),
    throttle_unauthenticated_api_requests_per_period: id(),
    throttle_unauthenticated_api_period_in_seconds: id(),
    throttle_authenticated_api_enabled: z.boolean(),
    throttle_authenticated_api_requests_per_period: id(),
    throttle_authenticated_api_period_in_seconds: id(),
    push_event_activities_limit: count(),
    // In MiB.
    max_attachment_size: id(),
    // 0 means no limit.
    scan_execution_policies_action_limit: limitedMember(
      { addedIn: '17.9', tiers: ['ultimate'], offerings: ['self-managed'] },
      count().exactOptional(),
    ),
    error_tracking_requests_per_minute: id(),
    // 0 means no project.
    error_tracking_stream_project_id: count(),
    // Weights of the repository storages by name.
    repository_storages_weighted: z.record(z.string(), count()),
    // Empty if mails only arrive in the local mailbox, or are sent to the server of the command line.
    smtp_url: z.string(),
  }),
);
