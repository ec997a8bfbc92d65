export { policiesOfNamespace, policiesOfProject, securityPoliciesGraphql } from './graphql.ts';
export { requiredScans } from './projectPolicies.ts';
