import {
  type Arguments,
  type Field,
  flagArgument,
  type GraphqlPart,
  inputArgument,
  NOT_AUTHORIZED,
  QueryRefusal,
  textArgument,
} from '../../graphql/parts.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { hasSecretPushProtection, setSecretPushProtection } from './setting.ts';
import { holdsRole } from '../abilities/abilities.ts';

const sdl = /* GraphQL */ `
  extend type Mutation {
    "Enable or disable secret push protection for a project."
    setPreReceiveSecretDetection(input: SetPreReceiveSecretDetectionInput!): SetPreReceiveSecretDetectionPayload
      @deprecation(id: "set-pre-receive-secret-detection")
    "Enable or disable secret push protection for a project."
    setSecretPushProtection(input: SetSecretPushProtectionInput!): SetSecretPushProtectionPayload
  }

  input SetPreReceiveSecretDetectionInput {
    clientMutationId: String
    "Desired status for the project."
    enable: Boolean!
    "Full path of the project."
    namespacePath: ID!
  }

  type SetPreReceiveSecretDetectionPayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Whether the feature is enabled."
    preReceiveSecretDetectionEnabled: Boolean
  }

  input SetSecretPushProtectionInput {
    clientMutationId: String
    "Desired status for the project."
    enable: Boolean!
    "Full path of the project."
    namespacePath: ID!
  }

  type SetSecretPushProtectionPayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Whether the feature is enabled."
    secretPushProtectionEnabled: Boolean
  }
`;

export function secretPushProtectionGraphql(core: Core): GraphqlPart {
  const set = (name: string): Field =>
    function change({ input }: Arguments, { caller }) {
      const { clientMutationId, namespacePath, enable } = inputArgument(input);
      const path = textArgument(namespacePath) ?? '';
      const found = path.includes('/') ? findProject(core, path, caller) : undefined;
      if (found === undefined || !hasSecretPushProtection(core) || !holdsRole(found.access, 'maintainer')) {
        throw new QueryRefusal(NOT_AUTHORIZED);
      }
      const enabled = flagArgument(enable);
      setSecretPushProtection(core, found.project.id, enabled);
      return { clientMutationId, errors: [], [name]: enabled };
    };
  return {
    sdl,
    query: {},
    mutation: {
      setPreReceiveSecretDetection: set('preReceiveSecretDetectionEnabled'),
      setSecretPushProtection: set('secretPushProtectionEnabled'),
    },
  };
}
