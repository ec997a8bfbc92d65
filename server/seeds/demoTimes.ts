/**
 * Describes how a time in the prepared demo data is moved when the data is loaded.
 *
 * - `days`: by whole days. Users work at certain hours of the day, and their last day ends at the previous midnight.
 * - `exact`: to the millisecond. Errors occur up to now.
 * - `minute`: like `exact`, truncated to the minute.
 * - `date`: text `YYYY-MM-DD`, by whole days.
 * - `commit`: unchanged, because it is copied from a git object, which cannot change without a new hash.
 * - `counted`: computed again from the rows that it summarises.
 * - `unused`: unchanged; the demo data has no value there.
 */
export type TimeKind = 'days' | 'exact' | 'minute' | 'date' | 'commit' | 'counted' | 'unused';

const created = { created_at: 'days' } as const;
const updated = { created_at: 'days', updated_at: 'days' } as const;
const run = { ...created, started_at: 'days', finished_at: 'days' } as const;

/**
 * All columns that contain a time, by table. The build refuses demo data with a time in a column that is missing here or listed as
 * `unused`, and a test compares the list with the schema.
 */
export const timeColumns: Readonly<Record<string, Readonly<Record<string, TimeKind>>>> = {
  instance: { clock_offset: 'unused', clock_frozen_at: 'unused' },
  users: {
    ...updated,
    last_sign_in_at: 'unused',
    current_sign_in_at: 'unused',
    last_activity_at: 'unused',
    enterprise_since: 'unused',
  },
  namespaces: created,
  personal_access_tokens: { created_at: 'unused', expires_at: 'unused', revoked_at: 'unused', last_used_at: 'unused' },
  oauth_applications: { created_at: 'unused' },
  deprecated_calls: { first_at: 'unused', last_at: 'unused' },
  oauth_device_grants: { created_at: 'unused', expires_at: 'unused' },
  oauth_authorization_codes: {
    authenticated_at: 'unused',
    spent_at: 'unused',
    created_at: 'unused',
    expires_at: 'unused',
  },
  oauth_tokens: {
    created_at: 'unused',
    expires_at: 'unused',
    revoked_at: 'unused',
    rotated_at: 'unused',
    ended_at: 'unused',
    authenticated_at: 'unused',
  },
  web_sessions: { created_at: 'unused', expires_at: 'unused', half_until: 'unused' },
  sign_in_links: { created_at: 'unused', expires_at: 'unused' },
  attempts: { at: 'unused' },
  second_factors: { made_at: 'unused', enabled_at: 'unused' },
  spent_time_steps: { step: 'unused', spent_at: 'unused' },
  user_statuses: { clear_at: 'unused' },
  projects: { ...updated, last_activity_at: 'days' },
  project_members: { ...created, expires_at: 'unused' },
  project_stars: created,
  group_members: { ...created, expires_at: 'unused' },
  todos: updated,
  namespace_subscriptions: { start_date: 'unused', end_date: 'unused' },
  card_validations: { validated_at: 'unused' },
  requirements: { created_at: 'unused', updated_at: 'unused' },
  integrations: { created_at: 'unused', updated_at: 'unused' },
  hooks: { created_at: 'unused', disabled_until: 'unused' },
  hook_deliveries: { created_at: 'unused', sent_at: 'unused' },
  project_security_settings: { created_at: 'unused', updated_at: 'unused' },
  issues: { ...updated, closed_at: 'days', due_date: 'unused', due_notice_at: 'unused' },
  notes: { ...updated, resolved_at: 'unused' },
  events: created,
  labels: updated,
  milestones: { ...updated, start_date: 'date', due_date: 'date' },
  epics: { ...updated, closed_at: 'days', start_date_fixed: 'date', due_date_fixed: 'date' },
  merge_requests: { ...updated, merged_at: 'days', closed_at: 'days' },
  merge_request_versions: created,
  merge_request_reviewers: created,
  merge_request_approvals: created,
  approval_rules: created,
  snippets: updated,
  repositories: created,
  repository_storage_moves: { ...created, due_at: 'unused' },
  repository_storage_move_batches: { ...created, due_at: 'unused' },
  protected_refs: created,
  deploy_tokens: { created_at: 'unused', expires_at: 'unused' },
  dependency_proxy_blobs: { created_at: 'unused', updated_at: 'unused' },
  dependency_proxy_manifests: { created_at: 'unused', updated_at: 'unused' },
  dependency_proxy_purges: { purged_at: 'unused' },
  pipeline_schedules: { ...updated, next_run_at: 'unused' },
  job_tokens: { created_at: 'unused', expires_at: 'unused' },
  security_policy_configurations: { created_at: 'unused' },
  deploy_keys: { created_at: 'unused', expires_at: 'unused' },
  ssh_keys: { created_at: 'unused', expires_at: 'unused' },
  runners: { created_at: 'unused', contacted_at: 'unused' },
  repository_refs: { committed_at: 'commit', tagged_at: 'commit' },
  pipeline_commits: { author_seconds: 'commit', committer_seconds: 'commit' },
  pipelines: { ...updated, started_at: 'days', finished_at: 'days' },
  jobs: run,
  uploads: { created_at: 'unused' },
  releases: { ...updated, released_at: 'days', notice_at: 'unused' },
  packages: created,
  package_tags: created,
  package_files: created,
  container_repositories: { ...created, cleaned_at: 'unused' },
  container_tags: created,
  virtual_registries: updated,
  virtual_upstreams: updated,
  virtual_cache_entries: created,
  // Audit events about errors are moved like the errors: see `moveAuditEventsOfErrors`.
  audit_events: created,
  audit_event_blocks: { earliest: 'counted', latest: 'counted' },
  error_tracking_client_keys: created,
  app_releases: { first_seen_at: 'exact' },
  tracked_errors: {
    status_at: 'exact',
    ignored_number: 'unused',
    counted_hour: 'counted',
    counted_of_hour: 'counted',
    created_at: 'exact',
    first_seen_at: 'exact',
    last_seen_at: 'exact',
  },
  tracked_edits: { made_at: 'unused' },
  tracked_release_checks: { added_at: 'unused' },
  tracked_groupings: { first_seen_at: 'exact', last_seen_at: 'exact' },
  tracked_events: { occurred_at: 'exact', received_at: 'exact' },
  tracked_hours: { hour: 'counted' },
  tracked_sessions: { started_at: 'unused', sent_at: 'unused', received_at: 'unused' },
  tracked_session_counts: { started_at: 'minute', received_at: 'exact' },
  tracked_session_requests: { received_at: 'unused' },
  tracked_arrivals: { day: 'counted', last_at: 'counted' },
  tracked_refusals: { at: 'unused' },
  tracked_key_states: { used_at: 'unused', refused_at: 'unused' },
  tracked_key_days: { day: 'unused' },
  tracked_key_programs: { first_at: 'unused', last_at: 'unused' },
  tracked_inbox: { occurred_at: 'unused', received_at: 'unused' },
  source_maps: { uploaded_at: 'exact' },
  emails: { ...created, confirmed_at: 'days', confirmation_sent_at: 'days' },
  notification_settings: { updated_at: 'days' },
  mail_contents: created,
  mails: { ...created, read_at: 'days' },
  mail_deliveries: { next_at: 'unused', sent_at: 'unused', failed_at: 'unused' },
  notification_events: { ...created, retry_at: 'days' },
};
