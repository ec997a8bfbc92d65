import * as z from 'zod';
import type { ProjectBasic } from '../../../src/contract/projects.ts';
import { address, count, deprecatedMember, eitherOf, id, limitedMember, moment, named, readAs } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { featureAccesses, visibilities } from '../abilities/abilities.ts';

/** Members of a namespace wherever it is shown. */
export const namespaceMembers = () => ({
  id: id(),
  name: z.string(),
  path: z.string(),
  kind: z.enum(['user', 'group']),
  full_path: z.string(),
  parent_id: id().nullable(),
  avatar_url: address().nullable(),
  web_url: address(),
});

const namespaceOfProject = named('NamespaceOfProject', () => z.strictObject(namespaceMembers()));

const basicMembers = () => ({
  id: id(),
  description: z.string().nullable(),
  name: z.string(),
  name_with_namespace: z.string(),
  path: z.string(),
  path_with_namespace: z.string(),
  created_at: moment(),
  default_branch: z.string(),
  tag_list: z.array(z.string()),
  topics: z.array(z.string()),
  ssh_url_to_repo: z.string(),
  http_url_to_repo: address(),
  web_url: address(),
  readme_url: address().nullable(),
  forks_count: count(),
  avatar_url: address().nullable(),
  star_count: count(),
  last_activity_at: moment(),
  visibility: z.enum(visibilities),
  namespace: namespaceOfProject(),
});

export const projectBasic = named('ProjectBasic', () => readAs<ProjectBasic>()(z.strictObject(basicMembers())));

const level = () => z.int().nullable();

/** A project accessible to a token. */
export const associatedProject = named('AssociatedProject', () =>
  z.strictObject({
    id: id(),
    description: z.string().nullable(),
    name: z.string(),
    name_with_namespace: z.string(),
    path: z.string(),
    path_with_namespace: z.string(),
    created_at: moment(),
    access_levels: z.strictObject({ project_access_level: level(), group_access_level: level() }),
    visibility: z.enum(visibilities),
    web_url: address(),
    namespace: namespaceOfProject(),
  }),
);

const featureAccess = () => z.enum(featureAccesses);
const access = () => z.strictObject({ access_level: z.int(), notification_level: z.int() }).nullable();

export const projectResponse = named('Project', () =>
  readAs<ProjectBasic>()(
    z.strictObject({
      ...basicMembers(),
      container_registry_image_prefix: z.string(),
      _links: z.strictObject({
        self: address(),
        issues: address(),
        repo_branches: address(),
        events: address(),
        members: address(),
      }),
      empty_repo: z.boolean(),
      archived: z.boolean(),
      // Only for projects in personal namespaces.
      owner: userBasic().exactOptional(),
      resolve_outdated_diff_discussions: z.boolean(),
      repository_object_format: z.string(),
      issues_enabled: z.boolean(),
      merge_requests_enabled: z.boolean(),
      wiki_enabled: z.boolean(),
      jobs_enabled: z.boolean(),
      snippets_enabled: z.boolean(),
      container_registry_enabled: z.boolean(),
      service_desk_enabled: z.boolean(),
      packages_enabled: z.boolean(),
      service_desk_address: z.string().nullable(),
      can_create_merge_request_in: z.boolean(),
      issues_access_level: featureAccess(),
      repository_access_level: featureAccess(),
      merge_requests_access_level: featureAccess(),
      forking_access_level: featureAccess(),
      wiki_access_level: featureAccess(),
      builds_access_level: featureAccess(),
      snippets_access_level: featureAccess(),
      pages_access_level: featureAccess(),
      analytics_access_level: featureAccess(),
      container_registry_access_level: featureAccess(),
      security_and_compliance_access_level: featureAccess(),
      releases_access_level: featureAccess(),
      environments_access_level: featureAccess(),
      feature_flags_access_level: featureAccess(),
      infrastructure_access_level: featureAccess(),
      monitor_access_level: featureAccess(),
      model_experiments_access_level: featureAccess(),
      model_registry_access_level: featureAccess(),
      emails_disabled: z.boolean(),
      emails_enabled: z.boolean(),
      shared_runners_enabled: z.boolean(),
      // Only for maintainers, before registration tokens end.
      runners_token: limitedMember({ removedIn: '20.0' }, z.string().exactOptional()),
      lfs_enabled: z.boolean(),
      creator_id: id(),
      // Only for forks whose source is visible to the caller.
      forked_from_project: projectBasic().exactOptional(),
      mr_default_target_self: z.boolean().exactOptional(),
      import_url: z.string().nullable(),
      import_type: z.string().nullable(),
      import_status: z.string(),
      import_error: z.string().nullable(),
      // Only for callers who can see the issues.
      open_issues_count: count().exactOptional(),
      updated_at: moment(),
      ci_job_token_scope_enabled: deprecatedMember('ci-job-token-scope-enabled', z.boolean().exactOptional()),
      // Only for developers, in the tier Ultimate.
      pre_receive_secret_detection_enabled: deprecatedMember('pre-receive-secret-detection', z.boolean().exactOptional()),
      secret_push_protection_enabled: z.boolean().exactOptional(),
      ci_config_path: z.string().nullable(),
      public_jobs: z.boolean(),
      shared_with_groups: z.array(z.never()),
      only_allow_merge_if_pipeline_succeeds: z.boolean(),
      allow_merge_on_skipped_pipeline: z.boolean().nullable(),
      request_access_enabled: z.boolean(),
      only_allow_merge_if_all_discussions_are_resolved: z.boolean(),
      remove_source_branch_after_merge: z.boolean(),
      printing_merge_request_link_enabled: z.boolean(),
      merge_method: z.string(),
      squash_option: z.string(),
      enforce_auth_checks_on_uploads: z.boolean(),
      suggestion_commit_message: z.string().nullable(),
      merge_commit_template: z.string().nullable(),
      squash_commit_template: z.string().nullable(),
      issue_branch_template: z.string().nullable(),
      warn_about_potentially_unwanted_characters: z.boolean(),
      autoclose_referenced_issues: z.boolean(),
      max_artifacts_size: z.int().nullable(),
      // Only for signed-in callers.
      permissions: z.strictObject({ project_access: access(), group_access: access() }).exactOptional(),
      repository_storage: z.string(),
    }),
  ),
);

/** A project in lists: the short form with `simple=true` and for anonymous callers. */
export const listedProject = eitherOf(projectBasic, projectResponse);
