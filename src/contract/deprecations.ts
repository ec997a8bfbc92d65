import { compareReleases, type Release } from './releases.ts';

// Registry of the announced deprecations and additions of the documented interface (docs/interface.md#deprecations). The server behaves as it
// says, and the extension explains it.

/** Kind of element that is deprecated. */
export type DeprecatedKind =
  | 'endpoint'
  | 'parameter'
  | 'field'
  | 'GraphQL member'
  | 'behavior'
  | 'environment variable'
  | 'audit event';

export interface Deprecation {
  readonly kind: DeprecatedKind;
  /** Names of the elements: `POST /runners`, `Query.runnerSetup`, or a phrase for a behavior. */
  readonly items: readonly string[];
  /** Release that announced the deprecation. */
  readonly announcedIn: Release;
  /** First release without the element. Undefined if the removal is no longer planned. */
  readonly removedIn?: Release;
  /** Release of the removal that the text of the announcement names, if it differs from `removedIn`. */
  readonly textNames?: Release;
  /**
   * Response of a removed endpoint: `gone` for 410 Gone, `absent` for the 404 of an unknown path. `changed` for elements that are no
   * endpoints: they are missing or behave in a new way.
   */
  readonly afterwards: 'gone' | 'absent' | 'changed';
  /** Sentence about the replacement, without a period. */
  readonly replacement: string;
  readonly note?: string;
}

export const deprecations = {
  'runner-registration-token-resets': {
    kind: 'endpoint',
    items: [
      'POST /runners/reset_registration_token',
      'POST /projects/:id/runners/reset_registration_token',
      'POST /groups/:id/runners/reset_registration_token',
    ],
    announcedIn: '15.7',
    removedIn: '20.0',
    afterwards: 'gone',
    replacement: 'Create runners with POST /user/runners, which returns a runner authentication token',
  },
  'runner-registration': {
    kind: 'endpoint',
    items: ['POST /runners'],
    announcedIn: '15.6',
    removedIn: '20.0',
    afterwards: 'gone',
    replacement: 'Create runners with POST /user/runners, which returns a runner authentication token',
    note: 'Registration tokens and the arguments locked, access_level, run_untagged, maximum_timeout, paused, tag_list and maintenance_note end together',
  },
  'runner-setup-queries': {
    kind: 'GraphQL member',
    items: ['Query.runnerPlatforms', 'Query.runnerSetup'],
    announcedIn: '15.9',
    removedIn: '20.0',
    afterwards: 'changed',
    replacement: 'Follow the documentation of the runner',
  },
  'runner-registration-token-reset-mutation': {
    kind: 'GraphQL member',
    items: ['Mutation.runnersRegistrationTokenReset'],
    announcedIn: '17.7',
    removedIn: '20.0',
    afterwards: 'changed',
    replacement: 'Create runners with the mutation runnerCreate or POST /user/runners',
  },
  'runner-registration-token-variable': {
    kind: 'environment variable',
    items: ['SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN'],
    announcedIn: '16.11',
    removedIn: '20.0',
    afterwards: 'changed',
    replacement: 'Create runners with POST /user/runners, which returns a runner authentication token',
  },
  'password-grant': {
    kind: 'behavior',
    items: ['grant type password of POST /oauth/token'],
    announcedIn: '18.0',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use the authorization code grant with PKCE, the device grant or a personal access token',
    note: 'Administrators can restrict the grant to clients with credentials. The hosted offering requires them since 8 April 2025',
  },
  'public-subscription-endpoints': {
    kind: 'endpoint',
    items: [
      'PUT /user/:id/credit_card_validation',
      'POST /namespaces/:namespace_id/minutes',
      'PATCH /namespaces/:previous_namespace_id/minutes/move/:target_namespace_id',
      'GET /namespaces/:namespace_id/subscription_add_on_purchase/:id',
      'PUT /namespaces/:namespace_id/subscription_add_on_purchase/:id',
      'POST /namespaces/:namespace_id/subscription_add_on_purchase/:id',
      'POST /namespaces/:id/gitlab_subscription',
      'PUT /namespaces/:id/gitlab_subscription',
      'PUT /namespaces/:id',
    ],
    announcedIn: '17.9',
    removedIn: '19.0',
    afterwards: 'absent',
    replacement: 'Internal endpoints of the platform replace them; there is no public replacement',
  },
  'ci-job-token-scope-enabled': {
    kind: 'field',
    items: ['ci_job_token_scope_enabled of projects'],
    announcedIn: '16.4',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use GET and PATCH /projects/:id/job_token_scope',
  },
  'audit-event-offsets': {
    kind: 'behavior',
    items: ['GET /audit_events', 'GET /groups/:id/audit_events', 'GET /projects/:id/audit_events'],
    announcedIn: '17.8',
    removedIn: '19.0',
    textNames: '18.0',
    afterwards: 'changed',
    replacement: 'Send pagination=keyset; offset pagination of audit events ends',
  },
  'text-job-tokens': {
    kind: 'behavior',
    items: ['CI/CD job tokens in text format'],
    announcedIn: '17.9',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Accept job tokens in JWT format',
    note: 'The text format can be used until release 20.0',
  },
  'forwarded-protected-variables': {
    kind: 'behavior',
    items: ['protected variables in pipelines of other projects'],
    announcedIn: '16.10',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Define the variables in each project that needs them',
    note: 'Protected variables of a project are forwarded only to child pipelines of the same project, those of a group only to projects of the same group',
  },
  'commit-status-job-limit': {
    kind: 'behavior',
    items: ['POST /projects/:id/statuses/:sha without the limit of jobs in active pipelines'],
    announcedIn: '17.7',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Stay within the limit of jobs in active pipelines',
  },
  'requirement-iids': {
    kind: 'behavior',
    items: ['legacy IIDs of requirements'],
    announcedIn: '15.9',
    removedIn: '19.0',
    textNames: '18.0',
    afterwards: 'changed',
    replacement: 'Use the IID of the work item',
  },
  'todo-target': {
    kind: 'GraphQL member',
    items: ['Todo.target'],
    announcedIn: '17.4',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use targetEntity, which can be null',
  },
  'dependency-proxy-total-size-in-bytes': {
    kind: 'GraphQL member',
    items: ['Group.dependencyProxyTotalSizeInBytes'],
    announcedIn: '16.1',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use dependencyProxyTotalSizeBytes, which is a text and therefore has no largest value',
  },
  'project-services': {
    kind: 'GraphQL member',
    items: ['Project.services'],
    announcedIn: '15.9',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use Project.integrations',
  },
  'job-token-scope-add-project': {
    kind: 'GraphQL member',
    items: ['Mutation.ciJobTokenScopeAddProject'],
    announcedIn: '17.5',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use ciJobTokenScopeAddGroupOrProject',
  },
  'scan-result-policies': {
    kind: 'GraphQL member',
    items: ['Project.scanResultPolicies', 'Group.scanResultPolicies', 'Namespace.scanResultPolicies'],
    announcedIn: '17.8',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use approvalPolicies',
  },
  'take-ownership-permission': {
    kind: 'GraphQL member',
    items: ['PipelineSchedulePermissions.takeOwnershipPipelineSchedule'],
    announcedIn: '15.9',
    removedIn: '19.0',
    afterwards: 'changed',
    replacement: 'Use adminPipelineSchedule',
  },
  'container-repository-migration-state': {
    kind: 'GraphQL member',
    items: ['ContainerRepository.migrationState', 'ContainerRepositoryDetails.migrationState'],
    announcedIn: '17.6',
    removedIn: '19.0',
    textNames: '18.0',
    afterwards: 'changed',
    replacement: 'Remove the member from queries; its value is always empty',
  },
  'storage-sort': {
    kind: 'GraphQL member',
    items: ['NamespaceProjectSort.STORAGE'],
    announcedIn: '17.7',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Use EXCESS_REPO_STORAGE_SIZE_DESC',
  },
  'monthly-usage-project-name': {
    kind: 'GraphQL member',
    items: ['CiMinutesProjectMonthlyUsage.name'],
    announcedIn: '17.7',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Use project { name }',
    note: 'The announcement calls the type ProjectMonthlyUsageType',
  },
  'pre-receive-secret-detection': {
    kind: 'field',
    items: ['pre_receive_secret_detection_enabled of projects'],
    announcedIn: '17.9',
    afterwards: 'changed',
    replacement: 'Use secret_push_protection_enabled; both names work and show the same value',
    note: 'The removal in release 18.0 is no longer planned',
  },
  'set-pre-receive-secret-detection': {
    kind: 'GraphQL member',
    items: ['Mutation.setPreReceiveSecretDetection'],
    announcedIn: '17.7',
    afterwards: 'changed',
    replacement: 'Use setSecretPushProtection; both names work',
    note: 'The removal in release 18.0 is no longer planned',
  },
  'misspelled-visibility-event': {
    kind: 'audit event',
    items: ['user_profile_visiblity_updated'],
    announcedIn: '17.8',
    removedIn: '18.6',
    afterwards: 'changed',
    replacement: 'Use user_profile_visibility_updated',
  },
  'dependency-proxy-scopes': {
    kind: 'behavior',
    items: ['sign-in to the dependency proxy with tokens of unchecked scope'],
    announcedIn: '17.9',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Use a token with the scopes read_registry and write_registry',
  },
  'milestone-filters': {
    kind: 'GraphQL member',
    items: ['the filters STARTED and UPCOMING of MilestoneWildcardId'],
    announcedIn: '17.7',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Expect the new logic of the filters; the REST API keeps the old one',
  },
  'scan-execution-policy-limits': {
    kind: 'behavior',
    items: ['scan execution policies without limits'],
    announcedIn: '17.9',
    removedIn: '18.0',
    afterwards: 'changed',
    replacement: 'Use at most 5 policies for each security policy project, with at most 10 actions each',
    note: 'On self-managed instances, the setting scan_execution_policies_action_limit changes the number of actions',
  },
} as const satisfies Readonly<Record<string, Deprecation>>;

export type DeprecationId = keyof typeof deprecations;

export const deprecationIds = Object.keys(deprecations).filter(isDeprecationId);

export function isDeprecationId(text: string): text is DeprecationId {
  return Object.hasOwn(deprecations, text);
}

export function deprecationOf(id: DeprecationId): Deprecation {
  return deprecations[id];
}

/** State of a deprecated element in a release. */
export type DeprecationState = 'current' | 'deprecated' | 'removed';

export function stateIn(id: DeprecationId, release: Release): DeprecationState {
  const { announcedIn, removedIn } = deprecationOf(id);
  if (removedIn !== undefined && compareReleases(release, removedIn) >= 0) return 'removed';
  return compareReleases(release, announcedIn) >= 0 ? 'deprecated' : 'current';
}

/** Additions of the documented interface that change how existing requests behave. */
export interface Addition {
  readonly item: string;
  readonly addedIn: Release;
}

export const additions = {
  'users-keyset': { item: 'keyset pagination of GET /users', addedIn: '16.5' },
  'device-grant': { item: 'the device authorization grant', addedIn: '17.1' },
  'tree-keyset': { item: 'keyset pagination of GET /projects/:id/repository/tree', addedIn: '17.1' },
  'issues-keyset': { item: 'keyset pagination of issues', addedIn: '18.3' },
} as const satisfies Readonly<Record<string, Addition>>;

/** Policy of versions of the documented interface. */
export const versionPolicy = [
  'The API follows semantic versioning. Its major version is 4 and part of the path; the minor version is not explicit.',
  'New features are added within version 4. Incompatible changes need a new major version, and happen together with major releases of the platform.',
  'Deprecations are announced. Experiments, beta features, and fields behind a feature flag that is off by default can be removed at any time.',
  'Downgrading an instance from the enterprise edition to the community edition is an incompatible change.',
  'The hosted offering may remove a deprecated feature at any time during the month before the release of its removal.',
] as const;

/**
 * Returns the day of a release at 00:00 UTC, in milliseconds. It is inferred from the calendar of the platform: the 22nd of the month up to
 * release 16.5, and the third Thursday since 16.6. Minor releases follow each other monthly; major releases are in May.
 */
export function inferredDateOf(release: Release): number {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  const year = 2022 + (major - 15) + Math.floor((4 + minor) / 12);
  const month = (4 + minor) % 12;
  if (compareReleases(release, '16.6') < 0) return Date.UTC(year, month, 22);
  const weekday = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return Date.UTC(year, month, 15 + ((4 - weekday + 7) % 7));
}
