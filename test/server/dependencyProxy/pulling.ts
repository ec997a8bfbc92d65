import assert from 'node:assert/strict';
import type { TestResponse, TestServer } from '../../support/server.ts';

/** Returns the header of Basic authentication. */
export function basic(username: string, password: string): Readonly<Record<string, string>> {
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Requests a token of the dependency proxy. */
export function signIn(server: TestServer, username: string, password: string): Promise<TestResponse> {
  return server.request('GET', '/jwt/auth?service=dependency_proxy', { headers: basic(username, password) });
}

/** Returns a token of the dependency proxy. */
export async function pullToken(server: TestServer, username: string, password: string): Promise<string> {
  const response = await signIn(server, username, password);
  assert.equal(response.status, 200, response.text);
  return String(Object(response.json()).token);
}

/** Returns the path of a resource of an image, such as `manifests/latest`. */
export function pathIn(group: string, image: string, resource: string): string {
  return `/v2/${group}/dependency_proxy/containers/${image}/${resource}`;
}
