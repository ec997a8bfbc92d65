import type { Document, Operation, Shape } from './document.ts';
import { ownParameters } from './document.ts';

/** An operation of the document with its method and path. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Marks of an operation, a parameter or a member. */
export type Marks = Pick<Shape, 'deprecated' | 'x-deprecation' | 'x-deprecated-in' | 'x-removed-in' | 'x-availability'>;

/** A parameter of an operation, wherever it is sent. */
export interface EndpointParameter {
  readonly name: string;
  readonly location: string;
  readonly required: boolean;
  readonly schema: Shape;
  readonly marks: Marks;
}

export function endpointsOf({ paths }: Document): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Returns the parameters of an operation in its path and query, then those in its body. */
export function parametersOf(operation: Operation): readonly EndpointParameter[] {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return [
    ...ownParameters(operation).map((parameter) => ({
      name: parameter.name,
      location: parameter.in,
      required: parameter.required === true,
      schema: parameter.schema,
      marks: parameter,
    })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      location: 'body',
      required: body?.required?.includes(name) === true,
      schema,
      marks: schema,
    })),
  ];
}

/** Filter of the API reference. It keeps endpoints of the method that contain every word of the text. */
export interface EndpointFilter {
  /** Empty for every method. */
  readonly method: string;
  readonly text: string;
}

export function filteredEndpoints(endpoints: readonly Endpoint[], { method, text }: EndpointFilter): readonly Endpoint[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (method === '' && words.length === 0) return endpoints;
  return endpoints.filter((endpoint) => {
    if (method !== '' && endpoint.method !== method) return false;
    const searched = searchedText(endpoint);
    return words.every((word) => searched.includes(word));
  });
}

/** Returns the text in which the search looks: method, path, section, source, access, scopes and names of parameters. */
function searchedText({ method, path, operation }: Endpoint): string {
  const names = parametersOf(operation).map(({ name }) => name);
  const metadata = [operation['x-clause'], operation['x-role'], operation['x-status'], ...operation['x-scopes']];
  return [method, path, ...operation.tags, ...metadata, ...names].join(' ').toLowerCase();
}
