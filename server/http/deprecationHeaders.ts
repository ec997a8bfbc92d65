import { deprecationOf, type DeprecationId, inferredDateOf, stateIn } from '../../src/contract/deprecations.ts';
import type { Profile } from '../core/profile.ts';

/** Page with the report of deprecated calls and all deprecations. */
export const REPORT_PATH = '/help/deprecations';

/** Page that explains a deprecation. */
export function deprecationPath(id: DeprecationId): string {
  return `${REPORT_PATH}/${id}`;
}

/**
 * Returns the headers of a response to a deprecated call: `Link` to the page of each deprecation, `Deprecation` (RFC 9745) and `Sunset` (RFC
 * 8594) of the one that ends first. Their dates are inferred from the releases. Empty if the emulated release has not announced any of them.
 */
export function deprecationHeaders(
  ids: ReadonlySet<DeprecationId>,
  { release }: Pick<Profile, 'release'>,
  baseUrl: string,
): Readonly<Record<string, string>> {
  const announced = [...ids].filter((id) => stateIn(id, release) !== 'current');
  if (announced.length === 0) return {};
  const since = Math.min(...announced.map((id) => inferredDateOf(deprecationOf(id).announcedIn)));
  const ends = announced.flatMap((id) => deprecationOf(id).removedIn ?? []).map((removal) => inferredDateOf(removal));
  return {
    Link: announced.map((id) => `<${baseUrl}${deprecationPath(id)}>; rel="deprecation"; type="text/html"`).join(', '),
    Deprecation: `@${since / 1000}`,
    ...(ends.length === 0 ? {} : { Sunset: new Date(Math.min(...ends)).toUTCString() }),
  };
}
