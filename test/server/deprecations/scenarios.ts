import type { DeprecationId } from '../../../src/contract/deprecations.ts';
import { accountScenarios } from './scenarios/accounts.ts';
import { dependencyProxyScenarios } from './scenarios/dependencyProxy.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { policyScenarios } from './scenarios/policies.ts';
import { ciScenarios } from './scenarios/ci.ts';
import { workScenarios } from './scenarios/work.ts';
import { runnerScenarios } from './scenarios/runners.ts';
import { subscriptionScenarios } from './scenarios/subscriptions.ts';
import type { Profiles, Scenarios } from './stage.ts';

/** The scenarios of all rows of the registry. */
export const scenarios: Scenarios = {
  ...accountScenarios,
  ...dependencyProxyScenarios,
  ...groupScenarios,
  ...policyScenarios,
  ...ciScenarios,
  ...workScenarios,
  ...subscriptionScenarios,
  ...runnerScenarios,
};

/** What a scenario needs besides the release. */
export const profiles: Profiles = { 'public-subscription-endpoints': { offering: 'multi-tenant' } };

/** Rows whose behavior the server cannot show, with the reason. */
export const notShowable: { readonly [Id in DeprecationId]?: string } = {};
