import { globalId, type GraphqlPart, timeOf } from '../../graphql/parts.ts';
import type { Caller, User } from '../../core/caller.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that another feature adds to the current user; its SDL extends `CurrentUser` with them. */
export type UserFields = (caller: Caller) => Fields;

const sdl = /* GraphQL */ `
  "A \`UserID\` is a global ID. It is encoded as a string, such as \`gid://gitlab/User/1\`."
  scalar UserID

  "Possible states of a user."
  enum UserState {
    active
    blocked
    banned
    deactivated
  }

  "Representation of a person with an account."
  interface User {
    "URL of the user's avatar."
    avatarUrl: String
    "Indicates if the user is a bot."
    bot: Boolean!
    "Timestamp of when the user was created."
    createdAt: Time
    "Global ID of the user."
    id: UserID!
    "Human-readable name of the user."
    name: String!
    "User's public email."
    publicEmail: String
    "State of the user."
    state: UserState!
    "Username of the user. Unique within the instance."
    username: String!
    "Web path of the user."
    webPath: String!
    "Web URL of the user."
    webUrl: String!
  }

  "The currently authenticated user."
  type CurrentUser implements User {
    avatarUrl: String
    bot: Boolean!
    createdAt: Time
    id: UserID!
    name: String!
    publicEmail: String
    state: UserState!
    username: String!
    webPath: String!
    webUrl: String!
  }

  "Core representation of a GitLab user."
  type UserCore implements User {
    avatarUrl: String
    bot: Boolean!
    createdAt: Time
    id: UserID!
    name: String!
    publicEmail: String
    state: UserState!
    username: String!
    webPath: String!
    webUrl: String!
  }

  extend type Query {
    "Get information about current user."
    currentUser: CurrentUser
  }
`;

/** Returns the part with the query field `currentUser`, which is null without a credential. */
export function identityGraphql(more: readonly UserFields[]): GraphqlPart {
  return {
    sdl,
    query: {
      currentUser: (_, { caller, baseUrl }) =>
        caller === undefined
          ? null
          : {
              ...userFields(caller.user, baseUrl),
              ...Object.fromEntries(more.flatMap((fields) => Object.entries(fields(caller)))),
              __typename: 'CurrentUser',
            },
    },
  };
}

/** Returns the fields of another user. */
export function presentPerson(user: User, baseUrl: string): Fields {
  return { ...userFields(user, baseUrl), __typename: 'UserCore' };
}

function userFields(user: User, baseUrl: string): Fields {
  return {
    avatarUrl: null,
    bot: false,
    createdAt: timeOf(user.created_at),
    id: globalId('User', user.id),
    name: user.name,
    publicEmail: user.public_email,
    state: user.state,
    username: user.username,
    webPath: `/${user.username}`,
    webUrl: `${baseUrl}/${user.username}`,
  };
}
