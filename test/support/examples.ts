import { activityExamples } from './examples/activity.ts';
import { ciVariableExamples } from './examples/ciVariables.ts';
import { pipelineScheduleExamples } from './examples/pipelineSchedules.ts';
import { commitCommentExamples } from './examples/commitComments.ts';
import { approvalRuleExamples } from './examples/approvalRules.ts';
import { auditExamples } from './examples/audit.ts';
import { deployKeyExamples } from './examples/deployKeys.ts';
import { dependencyProxyExamples } from './examples/dependencyProxy.ts';
import { deployTokenExamples } from './examples/deployTokens.ts';
import { emailExamples } from './examples/emails.ts';
import { epicExamples } from './examples/epics.ts';
import { errorTrackingExamples } from './examples/errorTracking.ts';
import type { Examples } from './examples/example.ts';
import { groupExamples } from './examples/groups.ts';
import { issueExamples } from './examples/issues.ts';
import { jobTokenExamples } from './examples/jobTokens.ts';
import { labelExamples } from './examples/labels.ts';
import { localExamples } from './examples/local.ts';
import { mailExamples } from './examples/mail.ts';
import { mergeRequestExamples } from './examples/mergeRequests.ts';
import { milestoneExamples } from './examples/milestones.ts';
import { notificationDecisionExamples } from './examples/notificationDecisions.ts';
import { notificationSettingExamples } from './examples/notificationSettings.ts';
import { oauthExamples } from './examples/oauth.ts';
import { packageExamples } from './examples/packages.ts';
import { personExamples } from './examples/people.ts';
import { pipelineExamples } from './examples/pipelines.ts';
import { projectExamples } from './examples/projects.ts';
import { protectedRefExamples } from './examples/protectedRefs.ts';
import { registryExamples } from './examples/registry.ts';
import { releaseExamples } from './examples/releases.ts';
import { repositoryExamples } from './examples/repositories.ts';
import { runnerExamples } from './examples/runners.ts';
import { smartHttpExamples } from './examples/smartHttp.ts';
import { searchExamples } from './examples/search.ts';
import { sshKeyExamples } from './examples/sshKeys.ts';
import { storageMoveExamples } from './examples/storageMoves.ts';
import { snippetExamples } from './examples/snippets.ts';
import { securitySettingExamples } from './examples/securitySettings.ts';
import { hookExamples } from './examples/hooks.ts';
import { integrationExamples } from './examples/integrations.ts';
import { todoExamples } from './examples/todos.ts';
import { uploadExamples } from './examples/uploads.ts';
import { virtualRegistryExamples } from './examples/virtualRegistries.ts';
import { webPageExamples } from './examples/webPages.ts';

export { type Example, type Make, queryText, sendExample } from './examples/example.ts';
export { type Fixture, makeFixture, person } from './examples/fixture.ts';

/**
 * One example per route, by `METHOD path`; the examples of each area are in `examples/`. An example that changes data creates new data each
 * time.
 */
export const examples: Examples = {
  ...activityExamples,
  ...approvalRuleExamples,
  ...auditExamples,
  ...ciVariableExamples,
  ...pipelineScheduleExamples,
  ...commitCommentExamples,
  ...deployKeyExamples,
  ...dependencyProxyExamples,
  ...deployTokenExamples,
  ...emailExamples,
  ...epicExamples,
  ...errorTrackingExamples,
  ...groupExamples,
  ...issueExamples,
  ...jobTokenExamples,
  ...labelExamples,
  ...localExamples,
  ...mailExamples,
  ...mergeRequestExamples,
  ...milestoneExamples,
  ...notificationDecisionExamples,
  ...notificationSettingExamples,
  ...oauthExamples,
  ...packageExamples,
  ...personExamples,
  ...pipelineExamples,
  ...projectExamples,
  ...protectedRefExamples,
  ...registryExamples,
  ...releaseExamples,
  ...repositoryExamples,
  ...runnerExamples,
  ...smartHttpExamples,
  ...snippetExamples,
  ...securitySettingExamples,
  ...integrationExamples,
  ...hookExamples,
  ...todoExamples,
  ...uploadExamples,
  ...searchExamples,
  ...sshKeyExamples,
  ...storageMoveExamples,
  ...virtualRegistryExamples,
  ...webPageExamples,
};
