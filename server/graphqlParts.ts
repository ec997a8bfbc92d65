import { errorTrackingGraphql, sentryErrorsOf } from './features/errorTracking/errorTracking.ts';
import { issuesGraphql, issuesOf } from './features/issues/issues.ts';
import { integrationsFieldsOf, integrationsGraphql } from './features/integrations/integrations.ts';
import { requirementFieldsOf, requirementsGraphql } from './features/requirements/requirements.ts';
import { secretPushProtectionGraphql } from './features/secretPushProtection/secretPushProtection.ts';
import { todosGraphql, todosOf } from './features/todos/todos.ts';
import { mergeRequestsGraphql } from './features/mergeRequests/mergeRequests.ts';
import { dependencyProxyGraphql, dependencyProxyOf } from './features/dependencyProxy/dependencyProxy.ts';
import { policiesOfNamespace, policiesOfProject, securityPoliciesGraphql } from './features/securityPolicies/securityPolicies.ts';
import { groupsGraphql, type GroupsPart } from './features/groups/groups.ts';
import { identityGraphql } from './features/profiles/profiles.ts';
import { pipelinesGraphql } from './features/pipelines/pipelines.ts';
import { pipelineSchedulesOf, pipelineSchedulesSdl } from './features/pipelineSchedules/pipelineSchedules.ts';
import { jobTokenFieldsOf, jobTokensGraphql } from './features/jobTokens/jobTokens.ts';
import { runnersGraphql } from './features/runners/runners.ts';
import { projectsGraphql, type ProjectsPart } from './features/projects/projects.ts';
import { containerRepositoriesOf, registryGraphql } from './features/registry/registry.ts';
import type { GraphqlPart } from './graphql/parts.ts';
import type { Platform } from './platform.ts';

/** Returns the parts of the schema of all features. */
export function graphqlParts(core: Platform): readonly GraphqlPart[] {
  const projects: ProjectsPart = projectsGraphql(core, [
    sentryErrorsOf(core),
    issuesOf(core),
    requirementFieldsOf(core),
    integrationsFieldsOf(core),
    containerRepositoriesOf(core),
    jobTokenFieldsOf(core, () => projects),
    policiesOfProject(core, () => ({ projects, groups })),
    pipelineSchedulesOf(core),
  ]);
  const groups: GroupsPart = groupsGraphql(core, projects, {
    group: [dependencyProxyOf(core)],
    namespace: [policiesOfNamespace(core, () => ({ projects, groups }))],
  });
  return [
    identityGraphql([todosOf(core, projects.present)]),
    projects,
    groups,
    securityPoliciesGraphql(core),
    dependencyProxyGraphql(core),
    registryGraphql(core),
    pipelinesGraphql(core, projects),
    errorTrackingGraphql,
    issuesGraphql,
    jobTokensGraphql(core, projects),
    { sdl: pipelineSchedulesSdl, query: {} },
    runnersGraphql(core),
    mergeRequestsGraphql,
    integrationsGraphql,
    requirementsGraphql(core),
    secretPushProtectionGraphql(core),
    todosGraphql,
  ];
}
