/** Parameters of a query. An array becomes `name[]=…` once per element (docs/interface.md#requests). */
export type Query = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

/**
 * Returns a path of the API with every value encoded, including `/` (docs/interface.md#resource-addresses):
 * apiPath`/projects/${'group/name'}/events` is `/projects/group%2Fname/events`.
 */
export function apiPath(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.map((part, index) => part + (index < values.length ? encodeSegment(String(values[index])) : '')).join('');
}

/** @throws RangeError for `.` and `..`, which URL parsers resolve even if encoded, and for an empty value. No id is one of these. */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new RangeError(`"${value}" cannot be part of a path`);
  return encodeURIComponent(value);
}

/** Returns `?name=value&…`, or an empty string. A `+` becomes `%2B`, because it would be read as a space (docs/interface.md#requests). */
export function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'object') return value.map((element) => [`${name}[]`, String(element)] as const);
    return [[name, String(value)] as const];
  });
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}
