import { type Availability, isAvailable, type Profile } from '../../core/profile.ts';

interface EventType extends Availability {
  /** True for names of this server only, because GitLab has no such event. */
  readonly local?: true;
}

/**
 * All audited events, by their names on GitLab. `addedIn` and `removedIn` are set if GitLab added or removed the event itself. An event that
 * GitLab only renamed has its new name in every release.
 */
export const eventTypes = {
  application_setting_updated: {},
  authenticated_with_password: { addedIn: '18.3' },
  authenticated_with_two_factor: { addedIn: '18.3' },
  ban_user: {},
  deploy_key_added: {},
  deploy_key_removed: {},
  deploy_token_created: {},
  deploy_token_destroyed: {},
  error_tracking_client_key_created: { local: true },
  error_tracking_client_key_destroyed: { local: true },
  error_tracking_error_assigned: { local: true },
  error_tracking_error_issue_updated: { local: true },
  error_tracking_error_merged: { local: true },
  error_tracking_error_split: { local: true },
  error_tracking_error_status_updated: { local: true },
  error_tracking_setting_created: { local: true },
  error_tracking_setting_updated: { local: true },
  error_tracking_source_map_created: { local: true },
  error_tracking_source_map_destroyed: { local: true },
  group_created: {},
  group_deploy_token_created: {},
  group_deploy_token_destroyed: {},
  group_description_updated: { addedIn: '17.4' },
  group_destroyed: {},
  group_name_updated: {},
  group_path_updated: {},
  group_project_creation_level_updated: {},
  group_visibility_level_updated: {},
  login_failed_with_otp_authentication: {},
  login_failed_with_standard_authentication: {},
  member_created: {},
  member_destroyed: {},
  member_updated: {},
  oauth_application_created: { addedIn: '18.2' },
  oauth_application_destroyed: { local: true },
  oauth_application_secret_renewed: { local: true },
  personal_access_token_created: {},
  personal_access_token_revoked: {},
  project_archived: {},
  project_created: {},
  project_description_updated: { addedIn: '16.3' },
  project_destroyed: {},
  project_feature_issues_access_level_updated: {},
  project_name_updated: {},
  project_namespace_updated: {},
  project_path_updated: {},
  project_unarchived: {},
  project_visibility_level_updated: {},
  protected_branch_created: {},
  protected_branch_removed: {},
  protected_branch_updated: {},
  protected_tag_created: { local: true },
  protected_tag_removed: { local: true },
  unban_user: {},
  unblock_user: {},
  user_access_locked: { addedIn: '16.2' },
  user_access_unlocked: { addedIn: '16.2' },
  user_activate: {},
  user_admin_status_updated: {},
  user_authorized_oauth_application: { addedIn: '17.9' },
  user_blocked: {},
  user_created: {},
  user_deactivate: {},
  user_destroyed: {},
  user_disable_two_factor: {},
  user_email_address_updated: {},
  user_enable_two_factor: { addedIn: '18.5' },
  user_external_status_updated: { addedIn: '18.5' },
  user_name_updated: { addedIn: '17.5' },
  user_password_updated: {},
  user_profile_visibility_updated: { addedIn: '18.6' },
  // Misspelled until it was replaced in release 18.6.
  user_profile_visiblity_updated: { removedIn: '18.6' },
  user_username_updated: {},
} as const satisfies Readonly<Record<string, EventType>>;

export type EventName = keyof typeof eventTypes;

/** Returns true if the emulated release has an event of this name. */
export function isAudited(name: EventName, profile: Profile): boolean {
  const type: EventType = eventTypes[name];
  return isAvailable(type, profile);
}
