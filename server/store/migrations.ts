import { initialSchema } from './migrations/0001-initial-schema.ts';
import { groups } from './migrations/0002-groups.ts';
import { endedOAuthTokens } from './migrations/0003-ended-oauth-tokens.ts';
import { authorizationCodes } from './migrations/0004-authorization-codes.ts';
import { oauthTokensWithoutApplication } from './migrations/0005-oauth-tokens-without-application.ts';
import { personalAccessTokenFamilies } from './migrations/0006-personal-access-token-families.ts';
import { secondFactors } from './migrations/0007-second-factors.ts';
import { enterpriseUsers } from './migrations/0008-enterprise-users.ts';
import { userStates } from './migrations/0009-user-states.ts';
import { instanceSettings } from './migrations/0010-instance-settings.ts';
import { dropDevicePollTimes } from './migrations/0011-drop-device-poll-times.ts';
import { namespaceRedirects } from './migrations/0012-namespace-redirects.ts';
import { repositories } from './migrations/0013-repositories.ts';
import { numberedOAuthTokens } from './migrations/0014-numbered-oauth-tokens.ts';
import { labelsAndMilestones } from './migrations/0015-labels-and-milestones.ts';
import { releases } from './migrations/0016-releases.ts';
import { releaseMilestones } from './migrations/0017-release-milestones.ts';
import { pipelinesAndJobs } from './migrations/0018-pipelines-and-jobs.ts';
import { packages } from './migrations/0019-packages.ts';
import { containerRegistry } from './migrations/0020-container-registry.ts';
import { transfers } from './migrations/0021-transfers.ts';
import { starsAndForks } from './migrations/0022-stars-and-forks.ts';
import { topics } from './migrations/0023-topics.ts';
import { followsAndUserStatuses } from './migrations/0024-follows-and-user-statuses.ts';
import { snippets } from './migrations/0025-snippets.ts';
import { auditEvents } from './migrations/0026-audit-events.ts';
import { discussions } from './migrations/0027-discussions.ts';
import { mergeRequests } from './migrations/0028-merge-requests.ts';
import { virtualRegistries } from './migrations/0029-virtual-registries.ts';
import { issueAttributes } from './migrations/0030-issue-attributes.ts';
import { epics } from './migrations/0031-epics.ts';
import { mergeRequestMilestones } from './migrations/0032-merge-request-milestones.ts';
import { deleteNotesOfSnippetsAndEpics } from './migrations/0033-delete-notes-of-snippets-and-epics.ts';
import { errorTrackingSettings } from './migrations/0034-error-tracking-settings.ts';
import { trackedErrors } from './migrations/0035-tracked-errors.ts';
import { releaseHealth } from './migrations/0036-release-health.ts';
import { ingestStatistics } from './migrations/0037-ingest-statistics.ts';
import { sourceMaps } from './migrations/0038-source-maps.ts';
import { dropPayloadGroupings } from './migrations/0039-drop-payload-groupings.ts';
import { eventInbox } from './migrations/0040-event-inbox.ts';
import { notificationsAndApprovalRules } from './migrations/0041-notifications-and-approval-rules.ts';
import { storageMovesAndProtectedRefs } from './migrations/0042-storage-moves-and-protected-refs.ts';
import { ciTodosAndSubscriptions } from './migrations/0043-ci-todos-and-subscriptions.ts';
import { todoActions } from './migrations/0044-todo-actions.ts';
import { sendersOfPayloads } from './migrations/0045-senders-of-payloads.ts';
import { viewsBetweenFeatures } from './migrations/0046-views-between-features.ts';
import { ghostUser } from './migrations/0047-ghost-user.ts';
import { sshKeys } from './migrations/0048-ssh-keys.ts';
import { hooks } from './migrations/0049-hooks.ts';
import { clientKeyUse } from './migrations/0050-client-key-use.ts';
import { viewsOfProjects } from './migrations/0051-views-of-projects.ts';
import { viewsOfAccounts } from './migrations/0052-views-of-accounts.ts';
import { errorEdits } from './migrations/0053-error-edits.ts';
import { releasesOfResolvedErrors } from './migrations/0054-releases-of-resolved-errors.ts';
import { mergedErrors } from './migrations/0055-merged-errors.ts';
import { waitingDeliveriesOfHooks } from './migrations/0056-waiting-deliveries-of-hooks.ts';
import { failuresOfHooks } from './migrations/0057-failures-of-hooks.ts';
import { payloadsOfHooks } from './migrations/0058-payloads-of-hooks.ts';

/**
 * The steps that make the schema, in order. Databases have run the first `user_version` of them, so steps are only ever appended.
 * Times are integer milliseconds since the epoch, booleans 0 or 1. Secrets (tokens, codes, session ids) are stored as SHA-256 hashes,
 * passwords as scrypt hashes.
 */
export const migrations: readonly string[] = [
  initialSchema,
  groups,
  endedOAuthTokens,
  authorizationCodes,
  oauthTokensWithoutApplication,
  personalAccessTokenFamilies,
  secondFactors,
  enterpriseUsers,
  userStates,
  instanceSettings,
  dropDevicePollTimes,
  namespaceRedirects,
  repositories,
  numberedOAuthTokens,
  labelsAndMilestones,
  releases,
  releaseMilestones,
  pipelinesAndJobs,
  packages,
  containerRegistry,
  transfers,
  starsAndForks,
  topics,
  followsAndUserStatuses,
  snippets,
  auditEvents,
  discussions,
  mergeRequests,
  virtualRegistries,
  issueAttributes,
  epics,
  mergeRequestMilestones,
  deleteNotesOfSnippetsAndEpics,
  errorTrackingSettings,
  trackedErrors,
  releaseHealth,
  ingestStatistics,
  sourceMaps,
  dropPayloadGroupings,
  eventInbox,
  notificationsAndApprovalRules,
  storageMovesAndProtectedRefs,
  ciTodosAndSubscriptions,
  todoActions,
  sendersOfPayloads,
  viewsBetweenFeatures,
  ghostUser,
  sshKeys,
  hooks,
  clientKeyUse,
  viewsOfProjects,
  viewsOfAccounts,
  errorEdits,
  releasesOfResolvedErrors,
  mergedErrors,
  waitingDeliveriesOfHooks,
  failuresOfHooks,
  payloadsOfHooks,
];
