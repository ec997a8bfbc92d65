// Users as others see them, in the API, in GraphQL and in searches.

export { identityGraphql, presentPerson, type UserFields } from './graphql.ts';
export { peopleOf } from './people.ts';
export { isProfileShown, presentUserBasic, presentUserPrivate, presentUserProfile } from './present.ts';
export { userBasic, userBasicMembers, userPrivate, userProfile } from './responses.ts';
export { searchUsers } from './userSearch.ts';
