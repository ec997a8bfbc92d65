/** One link of a `Link` header (RFC 8288 §3): target and its relation types. */
interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/**
 * The URL of the page with this relation, or undefined when the header has none. Pages are only ever reached this way: offset and
 * keyset links look different, and the header is the one thing both kinds share.
 */
export function linkTo(header: string | undefined, relation: 'next' | 'prev' | 'first' | 'last'): string | undefined {
  if (header === undefined) return undefined;
  return parseLinkHeader(header).find((link) => link.relations.includes(relation))?.target;
}

const parameter = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;
const link = new RegExp(`<([^>]*)>((?:\\s*${parameter.source})*)`, 'g');

/** Reads a `Link` header; a part that is not a link is left out. Quoted parameters may hold commas and semicolons. */
function parseLinkHeader(header: string): readonly Link[] {
  return [...header.matchAll(link)].map(([, target = '', parameters = '']) => {
    const rel = [...parameters.matchAll(parameter)].find(([, name]) => name?.toLowerCase() === 'rel');
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return { target, relations };
  });
}
