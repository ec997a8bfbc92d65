export { requirementFieldsOf, requirementsGraphql } from './graphql.ts';
