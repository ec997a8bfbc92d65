/** Link of a `Link` header (RFC 8288 §3): target and relation types. */
interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/**
 * Returns the URL of the page with this relation, or undefined if the header has none. Clients follow these links instead of computing
 * URLs, because it works for offset and keyset pagination alike.
 */
export function linkTo(header: string | undefined, relation: 'next' | 'prev' | 'first' | 'last'): string | undefined {
  if (header === undefined) return undefined;
  return parseLinkHeader(header).find((link) => link.relations.includes(relation))?.target;
}

const parameter = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;
const link = new RegExp(`<([^>]*)>((?:\\s*${parameter.source})*)`, 'g');

/** Parses a `Link` header. Parts that are not links are skipped. Quoted parameters may contain commas and semicolons. */
function parseLinkHeader(header: string): readonly Link[] {
  return [...header.matchAll(link)].map(([, target = '', parameters = '']) => {
    const rel = [...parameters.matchAll(parameter)].find(([, name]) => name?.toLowerCase() === 'rel');
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return { target, relations };
  });
}
