import type { Route } from '../../../server/http/route.ts';
import type { TestResponse, TestRequest, TestServer } from '../server.ts';
import type { Fixture } from './fixture.ts';

/** A request to a route that must succeed. */
export interface Example {
  /** Decoded values of the path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  /** Parameters sent in the query of GET and DELETE, in a JSON body otherwise. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly asForm?: boolean;
  /** Expected status if it is not the success status of the route. */
  readonly status?: number;
}

/** Sends an example; `changed` is a parameter to send with another value. */
export function sendExample(
  server: TestServer,
  row: Pick<Route, 'method' | 'path'>,
  example: Example,
  changed?: { readonly name: string; readonly value: unknown },
): Promise<TestResponse> {
  const params: Record<string, unknown> = { ...example.params };
  const inPath: Record<string, string> = { ...example.path };
  if (changed !== undefined && changed.name in inPath) inPath[changed.name] = String(changed.value);
  else if (changed !== undefined) params[changed.name] = changed.value;
  const path = row.path
    .replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent((inPath[key] ?? '').toWellFormed()))
    .replaceAll(/\*(\w+)/g, (_, key: string) => encodeURI((inPath[key] ?? '').toWellFormed()));
  const request: TestRequest = {
    ...(example.token === undefined ? {} : { token: example.token }),
    ...(example.headers === undefined ? {} : { headers: example.headers }),
  };
  if (row.method === 'GET' || row.method === 'DELETE') {
    const query = queryText(params);
    return server.request(row.method, query === '' ? path : `${path}?${query}`, request);
  }
  return example.asForm === true
    ? server.request(row.method, path, { ...request, form: queryText(params) })
    : server.request(row.method, path, { ...request, json: params });
}

/** Encodes parameters as a query or form: lists as `name[]`, lists of hashes as `name[0][key]`, hashes as `name[key]`. */
export function queryText(params: Readonly<Record<string, unknown>>): string {
  const pairs = new URLSearchParams();
  const append = (name: string, value: unknown): void => {
    if (value === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        append(typeof item === 'object' && item !== null ? `${name}[${index}]` : `${name}[]`, item);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) append(`${name}[${key}]`, item);
    } else {
      pairs.append(name, value === null ? '' : String(value));
    }
  };
  for (const [name, value] of Object.entries(params)) append(name, value);
  return pairs.toString();
}

export type Make = (fixture: Fixture) => Example | Promise<Example>;

export type Examples = Readonly<Record<string, Make>>;
