import { compareReleases } from '../../../src/contract/releases.ts';
import { type GraphqlPart, inputArgument, QueryRefusal, textArgument } from '../../graphql/parts.ts';
import { type GroupFields, findGroup, type FoundGroup } from '../groups/groups.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { cacheUsage, isProxyEnabled, setProxyEnabled } from './groupProxy.ts';

const sdl = /* GraphQL */ `
  extend type Group {
    "Number of dependency proxy blobs cached in the group."
    dependencyProxyBlobCount: Int!
    "Number of dependency proxy images cached in the group."
    dependencyProxyImageCount: Int!
    "Total size of the dependency proxy cached images."
    dependencyProxyTotalSize: String!
    "Total size of the dependency proxy cached images in bytes, encoded as a string."
    dependencyProxyTotalSizeBytes: BigInt! @since(release: "16.1")
    "Total size of the dependency proxy cached images in bytes."
    dependencyProxyTotalSizeInBytes: Int! @deprecation(id: "dependency-proxy-total-size-in-bytes")
    "Dependency proxy settings for the group."
    dependencyProxySetting: DependencyProxySetting
  }

  "Group-level dependency proxy settings."
  type DependencyProxySetting {
    "Indicates whether the dependency proxy is enabled for the group."
    enabled: Boolean!
  }

  extend type Mutation {
    "Turns the dependency proxy of a group on or off."
    updateDependencyProxySettings(input: UpdateDependencyProxySettingsInput!): UpdateDependencyProxySettingsPayload
  }

  input UpdateDependencyProxySettingsInput {
    clientMutationId: String
    "Indicates whether the dependency proxy is enabled for the group."
    enabled: Boolean
    "Group path for the group dependency proxy."
    groupPath: ID!
  }

  type UpdateDependencyProxySettingsPayload {
    clientMutationId: String
    "Group dependency proxy settings after mutation."
    dependencyProxySetting: DependencyProxySetting
    "Errors encountered during the mutation."
    errors: [String!]!
  }
`;

const NOT_AUTHORIZED =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** Creates the GraphQL part of the dependency proxy. */
export function dependencyProxyGraphql(core: Core): GraphqlPart {
  return {
    sdl,
    query: {},
    mutation: {
      updateDependencyProxySettings: ({ input }, { caller }) => {
        const { clientMutationId, groupPath, enabled } = inputArgument(input);
        const path = textArgument(groupPath) ?? '';
        // A number would be read as an ID.
        const found = /^-?\d+$/.test(path) ? undefined : findGroup(core, path, caller);
        if (found === undefined || !holdsRole(found.access, administeringRole(core))) throw new QueryRefusal(NOT_AUTHORIZED);
        if (typeof enabled === 'boolean') setProxyEnabled(core, found.group.id, enabled);
        return { clientMutationId, dependencyProxySetting: settingOf(core, found), errors: [] };
      },
    },
  };
}

/** Returns the lowest role that changes settings: before release 16.0 maintainers could, too. */
function administeringRole({ profile }: Core): 'owner' | 'maintainer' {
  return compareReleases(profile.release, '16.0') >= 0 ? 'owner' : 'maintainer';
}

function settingOf(core: Core, { group }: FoundGroup): Readonly<Record<string, unknown>> {
  return { enabled: isProxyEnabled(core, group.id) };
}

/** Returns what the dependency proxy of a group has cached. */
export function dependencyProxyOf(core: Core): GroupFields {
  return (found) => ({
    dependencyProxyBlobCount: () => cacheUsage(core, found.group.id).blobs,
    dependencyProxyImageCount: () => cacheUsage(core, found.group.id).manifests,
    dependencyProxyTotalSize: () => sizeText(cacheUsage(core, found.group.id).bytes),
    dependencyProxyTotalSizeBytes: () => String(cacheUsage(core, found.group.id).bytes),
    dependencyProxyTotalSizeInBytes: () => cacheUsage(core, found.group.id).bytes,
    dependencyProxySetting: () => (holdsRole(found.access, administeringRole(core)) ? settingOf(core, found) : null),
  });
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns a size with three significant digits and its unit, such as `1.46 MiB`. */
export function sizeText(bytes: number): string {
  const unit = Math.min(bytes === 0 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const shown = unit === 0 ? bytes : Number((bytes / 1024 ** unit).toPrecision(3));
  return `${shown} ${UNITS[unit]}`;
}
