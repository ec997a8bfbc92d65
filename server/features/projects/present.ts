import { isoTime } from '../../core/clock.ts';
import { registrationTokenMember } from '../registrationTokens/registrationTokens.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { addressPath } from '../../web/addresses.ts';
import { abilitiesOf, holdsRole } from '../abilities/abilities.ts';
import {
  type FoundProject,
  presentProjectIdentity,
  type Project,
  projectAddresses,
  projectsByIds,
  type ShownProject,
  shownProject,
  shownProjects,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import type { associatedProject, projectBasic, projectResponse } from './responses.ts';
import { hasOutboundLimits } from '../jobTokenScope/jobTokenScope.ts';
import { membershipLevels } from '../members/members.ts';
import { hasSecretPushProtection } from '../secretPushProtection/secretPushProtection.ts';
import { type RelatedRow, relatedRows } from './store.ts';
import { baseHost } from '../../support/baseHost.ts';

type ProjectResponse = ResponseOf<typeof projectResponse>;

export function topicsOf({ topics }: Pick<ShownProject, 'topics'>): string[] {
  return topics === null ? [] : topics.split('\n');
}

/** The short form, used with `simple=true` and in anonymous lists. */
export function presentProjectBasic(project: ShownProject, baseUrl: string): ResponseOf<typeof projectBasic> {
  const addresses = projectAddresses(project, baseUrl);
  const topics = topicsOf(project);
  return {
    ...presentProjectIdentity(project),
    default_branch: project.default_branch,
    tag_list: topics,
    topics,
    ...addresses,
    readme_url:
      project.readme_path === null
        ? null
        : `${addresses.web_url}/-/blob/${addressPath(project.default_branch)}/${addressPath(project.readme_path)}`,
    forks_count: project.forks_count,
    avatar_url: null,
    star_count: project.star_count,
    last_activity_at: isoTime(project.last_activity_at),
    visibility: project.visibility,
    namespace: presentNamespace(project, baseUrl),
  };
}

function presentNamespace(project: Project, baseUrl: string) {
  return {
    id: project.namespace_id,
    name: project.namespace_name,
    path: project.namespace_path,
    kind: project.namespace_kind,
    full_path: project.namespace_full_path,
    parent_id: project.namespace_parent_id,
    avatar_url: null,
    web_url: namespaceUrl(project, baseUrl),
  };
}

function namespaceUrl(project: Project, baseUrl: string): string {
  return `${baseUrl}/${project.namespace_kind === 'group' ? 'groups/' : ''}${project.namespace_full_path}`;
}

/** Returns the long form of some projects for one user; `viewer` is 0 for anonymous callers. */
export function presentProjects(
  core: Core,
  found: readonly FoundProject<ShownProject>[],
  viewer: number,
  baseUrl: string,
): ProjectResponse[] {
  const related = relatedValues(core, found, viewer);
  const person = peopleOf(core, baseUrl);
  return found.map((entry) => presentProject(entry, baseUrl, related(entry), person));
}

/** Reads for some projects what is not in their rows. Returns a look-up by project. */
function relatedValues(core: Core, found: readonly FoundProject[], viewer: number): (entry: FoundProject) => RelatedValues {
  const ids = found.map(({ project }) => project.id);
  const withConfidential = found.filter(({ can }) => can.readConfidential).map(({ project }) => project.id);
  const rows = relatedRows(core.store, ids, withConfidential, viewer);
  const sources = sourcesOf(core, found, viewer);
  const hasTokenLimits = hasOutboundLimits(core);
  const hasSecretProtection = hasSecretPushProtection(core);
  return ({ project }) => {
    const row = rows.get(project.id);
    return {
      row,
      isSecretProtected: hasSecretProtection ? row?.secret_protected === 1 : undefined,
      isJobTokenLimited: hasTokenLimits ? row?.job_token_limited === 1 : undefined,
      source: sources.get(project.forked_from_id ?? 0),
    };
  };
}

/** Returns the fork sources of some projects, as far as they are visible to the user. */
function sourcesOf(core: Core, found: readonly FoundProject[], viewer: number): ReadonlyMap<number, ShownProject> {
  const [first] = found;
  const ids = found.map(({ project }) => project.forked_from_id).filter((id) => id !== null);
  if (first === undefined || ids.length === 0) return new Map();
  const rows = projectsByIds(core.store, ids, viewer);
  const seen = rows.filter((row) => abilitiesOf(row, { ...first.access, level: row.level }).readProject);
  return new Map(shownProjects(core, seen).map((row) => [row.id, row]));
}

/** Returns the long form of one project for the caller. */
export function presentOneProject(
  core: Core,
  found: FoundProject,
  { caller, baseUrl }: { readonly caller: Pick<Caller, 'user'> | undefined; readonly baseUrl: string },
): ProjectResponse {
  const related = relatedValues(core, [found], viewerId(caller));
  const project = shownProject(core, found.project);
  return {
    ...presentProject({ ...found, project }, baseUrl, related(found), peopleOf(core, baseUrl)),
    ...(holdsRole(found.access, 'maintainer') ? registrationTokenMember(core, { kind: 'project', id: found.project.id }) : {}),
  };
}

/** The short form of projects in the associations of a token. */
export function presentAssociatedProjects(
  core: Core,
  projects: readonly Project[],
  viewer: number,
  baseUrl: string,
): ResponseOf<typeof associatedProject>[] {
  const ids = projects.map(({ id }) => id);
  const levels = membershipLevels(core.store, ids, viewer);
  return projects.map((project) => {
    const { own = null, inherited = null } = levels.get(project.id) ?? {};
    return {
      ...presentProjectIdentity(project),
      access_levels: { project_access_level: own, group_access_level: inherited },
      visibility: project.visibility,
      web_url: projectAddresses(project, baseUrl).web_url,
      namespace: presentNamespace(project, baseUrl),
    };
  });
}

/** Values that are not in the project's row. */
interface RelatedValues {
  /** Undefined if the project was deleted after it was found. */
  readonly row: RelatedRow | undefined;
  /** Undefined if the emulated release does not have the attribute. */
  readonly isJobTokenLimited: boolean | undefined;
  /** Undefined if the emulated tier does not have secret push protection. */
  readonly isSecretProtected: boolean | undefined;
  /** Fork source, if it is visible to the caller. */
  readonly source: ShownProject | undefined;
}

/** Presents a project. Features that this server does not have are disabled so that clients do not request them. */
function presentProject(
  { project, access, can }: FoundProject<ShownProject>,
  baseUrl: string,
  { row, source, isJobTokenLimited, isSecretProtected }: RelatedValues,
  person: ReturnType<typeof peopleOf>,
): ProjectResponse {
  const basic = presentProjectBasic(project, baseUrl);
  const api = `${baseUrl}/api/v4/projects/${project.id}`;
  const owner = person(project.namespace_kind === 'user' ? project.namespace_owner_id : null);
  return {
    ...basic,
    container_registry_image_prefix: `${baseHost(baseUrl).host}/${project.full_path}`.toLowerCase(),
    _links: {
      self: api,
      issues: `${api}/issues`,
      repo_branches: `${api}/repository/branches`,
      events: `${api}/events`,
      members: `${api}/members`,
    },
    empty_repo: project.has_branches === 0,
    archived: project.archived === 1,
    ...(owner === null ? {} : { owner }),
    resolve_outdated_diff_discussions: false,
    repository_object_format: 'sha1',
    issues_enabled: project.issues_access !== 'disabled',
    merge_requests_enabled: true,
    wiki_enabled: false,
    service_desk_enabled: false,
    jobs_enabled: true,
    packages_enabled: true,
    container_registry_enabled: true,
    snippets_enabled: true,
    service_desk_address: null,
    can_create_merge_request_in: can.readMergeRequests && access.isSignedIn && project.archived === 0,
    issues_access_level: project.issues_access,
    repository_access_level: 'enabled',
    merge_requests_access_level: 'enabled',
    snippets_access_level: 'enabled',
    releases_access_level: 'enabled',
    builds_access_level: 'enabled',
    container_registry_access_level: 'enabled',
    forking_access_level: 'enabled',
    wiki_access_level: 'disabled',
    pages_access_level: 'disabled',
    analytics_access_level: 'disabled',
    security_and_compliance_access_level: 'disabled',
    environments_access_level: 'disabled',
    feature_flags_access_level: 'disabled',
    infrastructure_access_level: 'disabled',
    monitor_access_level: 'disabled',
    model_experiments_access_level: 'disabled',
    model_registry_access_level: 'disabled',
    emails_disabled: false,
    emails_enabled: true,
    shared_runners_enabled: true,
    lfs_enabled: false,
    creator_id: project.creator_id,
    ...(source === undefined ? {} : { forked_from_project: presentProjectBasic(source, baseUrl) }),
    ...(project.forked_from_id === null ? {} : { mr_default_target_self: project.mr_default_target_self === 1 }),
    import_url: null,
    import_type: null,
    import_status: project.import_status,
    import_error: null,
    ...(can.readIssues ? { open_issues_count: row?.open_issues ?? 0 } : {}),
    updated_at: isoTime(project.updated_at),
    ...(isJobTokenLimited === undefined ? {} : { ci_job_token_scope_enabled: isJobTokenLimited }),
    ci_config_path: null,
    public_jobs: true,
    shared_with_groups: [],
    only_allow_merge_if_pipeline_succeeds: false,
    allow_merge_on_skipped_pipeline: null,
    request_access_enabled: false,
    only_allow_merge_if_all_discussions_are_resolved: false,
    remove_source_branch_after_merge: true,
    printing_merge_request_link_enabled: true,
    merge_method: 'merge',
    squash_option: 'default_off',
    enforce_auth_checks_on_uploads: true,
    suggestion_commit_message: null,
    merge_commit_template: null,
    squash_commit_template: null,
    issue_branch_template: null,
    warn_about_potentially_unwanted_characters: true,
    autoclose_referenced_issues: true,
    max_artifacts_size: null,
    ...(access.isSignedIn ? { permissions: permissionsOf(row) } : {}),
    ...(isSecretProtected === undefined || !holdsRole(access, 'developer')
      ? {}
      : { pre_receive_secret_detection_enabled: isSecretProtected, secret_push_protection_enabled: isSecretProtected }),
    repository_storage: project.repository_storage,
  };
}

/** Returns the caller's access levels in a project and its groups, with the notification levels. */
function permissionsOf(row: RelatedRow | undefined): NonNullable<ProjectResponse['permissions']> {
  const { own_level: own = null, inherited_level: inherited = null } = row ?? {};
  return {
    project_access: own === null ? null : { access_level: own, notification_level: row?.notifications ?? 0 },
    group_access: inherited === null ? null : { access_level: inherited, notification_level: row?.namespace_notifications ?? 0 },
  };
}
