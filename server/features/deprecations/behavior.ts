import type { Deprecation } from '../../../src/contract/deprecations.ts';

/** Describes what the server does before a deprecation is announced, until the removal, and after it. */
export interface Behavior {
  readonly before: string;
  readonly between: string;
  /** Undefined if the removal is no longer planned. */
  readonly after: string | undefined;
}

/** Describes the behavior of a deprecated element for people. */
export function behaviorOf(row: Deprecation): Behavior {
  const headers = row.removedIn === undefined ? 'Link and Deprecation' : 'Link, Deprecation and Sunset';
  return {
    before: 'It works, and nothing points to its end.',
    between:
      row.kind === 'environment variable' || row.kind === 'audit event'
        ? 'It works as before.'
        : `It works as before. Responses to requests that use it have the headers ${headers}, and the report counts these requests.${
            row.kind === 'GraphQL member' ? ' The schema marks it with @deprecated.' : ''
          }`,
    after: row.removedIn === undefined ? undefined : afterRemoval(row),
  };
}

function afterRemoval({ kind, afterwards }: Deprecation): string {
  if (afterwards === 'gone') return 'The server responds with 410 Gone, and changes nothing.';
  if (afterwards === 'absent') return 'The path is unknown, so the server responds with 404 Not Found.';
  switch (kind) {
    case 'GraphQL member':
      return 'The schema lacks it, or it behaves in the new way. A query that names a missing member is refused as a whole.';
    case 'field':
      return 'Responses lack it, and requests that send it do not change anything.';
    case 'parameter':
      return 'The server ignores it.';
    case 'environment variable':
      return 'The server ignores it.';
    case 'audit event':
      return 'New audit events have the name that replaces it.';
    case 'endpoint':
    case 'behavior':
      return 'The server behaves in the new way, or refuses the request.';
  }
}

/** Returns a request that shows the state of an element, or undefined if no single request does. */
export function exampleOf({ kind, items: [item = ''] }: Deprecation, baseUrl: string): string | undefined {
  const address = (path: string): string => (path.startsWith('/oauth/') ? `${baseUrl}${path}` : `${baseUrl}/api/v4${path}`);
  const [, method, path] = /\b(GET|POST|PUT|PATCH|DELETE) (\/\S+)/.exec(item) ?? [];
  if (method !== undefined && path !== undefined) {
    const token = path.startsWith('/oauth/') ? '' : ' --header "PRIVATE-TOKEN: <your_access_token>"';
    return `curl --request ${method}${token} "${address(path.replaceAll(/:(\w+)/g, '<$1>'))}"`;
  }
  const [, type, member] = /^(\w+)\.(\w+)$/.exec(item) ?? [];
  if (kind !== 'GraphQL member' || type === undefined || member === undefined) return undefined;
  const list = /^[A-Z][A-Z_]*$/.test(member) ? 'enumValues' : 'fields';
  return `query {
  __type(name: "${type}") {
    ${list}(includeDeprecated: true) { name isDeprecated deprecationReason }
  }
}`;
}
