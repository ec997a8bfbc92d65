export { requirementFieldsOf, requirementsGraphql } from './graphql.ts';
export { requirementContributions } from './manageRequirements.ts';
