/** Values of one query; an array becomes `name[]=…` once per element (general request rule 4). */
export type Query = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

/**
 * A path of the API with every value encoded, `/` included (general request rule 2):
 * apiPath`/projects/${'group/name'}/events` is `/projects/group%2Fname/events`.
 */
export function apiPath(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.map((part, index) => part + (index < values.length ? encodeSegment(String(values[index])) : '')).join('');
}

/** A lone `.` or `..` would be resolved away by URL parsers, encoded or not; no id of the platform is one. */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new RangeError(`"${value}" cannot stand in a path`);
  return encodeURIComponent(value);
}

/** `?name=value&…` or nothing; a `+` becomes `%2B`, because it would be read as a space (general request rule 5). */
export function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'object') return value.map((element) => [`${name}[]`, String(element)] as const);
    return [[name, String(value)] as const];
  });
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}
