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

/** Reads a `Link` header; a part that is not a link is left out. Quoted parameters may hold commas and semicolons. */
function parseLinkHeader(header: string): readonly Link[] {
  const links: Link[] = [];
  const part = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;
  for (const [, target = '', parameters = ''] of header.matchAll(part)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(parameters);
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    links.push({ target, relations });
  }
  return links;
}
