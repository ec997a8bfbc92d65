import type { GraphqlPart } from '../../graphql/parts.ts';
import type { GroupFields } from '../../groups/graphql.ts';
import type { Platform } from '../../platform.ts';
import { cacheUsage } from './dependencyProxy.ts';

export const dependencyProxyGraphql: GraphqlPart = {
  sdl: /* GraphQL */ `
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
  }
`,
  query: {},
};

/** Returns what the dependency proxy of a group has cached. */
export function dependencyProxyOf(platform: Platform): GroupFields {
  return ({ group }) => ({
    dependencyProxyBlobCount: () => cacheUsage(platform, group.id).blobs,
    dependencyProxyImageCount: () => cacheUsage(platform, group.id).manifests,
    dependencyProxyTotalSize: () => sizeText(cacheUsage(platform, group.id).bytes),
    dependencyProxyTotalSizeBytes: () => String(cacheUsage(platform, group.id).bytes),
    dependencyProxyTotalSizeInBytes: () => cacheUsage(platform, group.id).bytes,
  });
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns a size with three significant digits and its unit, such as `1.46 MiB`. */
export function sizeText(bytes: number): string {
  const unit = Math.min(bytes === 0 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const shown = unit === 0 ? bytes : Number((bytes / 1024 ** unit).toPrecision(3));
  return `${shown} ${UNITS[unit]}`;
}
