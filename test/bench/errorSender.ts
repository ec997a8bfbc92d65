import type { RunningPlatform } from '../support/host/platform.ts';

/** Sends one event, as an SDK does. */
export type ErrorSender = (event: object) => Promise<void>;

/** Creates a client key in the project of this name, and enables error tracking if it is disabled. */
export async function errorSender({ origin, adminToken }: RunningPlatform, projectName: string): Promise<ErrorSender> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const ask = async (method: string, address: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${origin}${address}`, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const found = await ask('GET', `/api/v4/projects?search=${encodeURIComponent(projectName)}`);
  const project = Array.isArray(found) ? found.map((one: unknown) => member(one, 'id')).at(0) : undefined;
  await ask('PUT', `/api/v4/projects/${project}/error_tracking/settings`, { active: true, integrated: true });
  const key = member(await ask('POST', `/api/v4/projects/${project}/error_tracking/client_keys`, {}), 'public_key');
  return async (event) => {
    const response = await fetch(`${origin}/api/${project}/store/?sentry_key=${key}&sentry_version=7`, {
      method: 'POST',
      body: JSON.stringify(event),
    });
    if (!response.ok) throw new Error(`the event was refused: ${await response.text()}`);
    await response.arrayBuffer();
  };
}

/** Returns the number of errors of the project of this name. */
export async function countErrors({ origin, adminToken }: RunningPlatform, projectName: string): Promise<number> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const pageOf = async (address: string): Promise<{ readonly rows: readonly unknown[]; readonly next: string | undefined }> => {
    const response = await fetch(address, { headers });
    const rows: unknown = await response.json();
    if (!Array.isArray(rows)) throw new Error(`${address}: ${response.status}`);
    return { rows, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] };
  };
  const { rows: projects } = await pageOf(`${origin}/api/v4/projects?search=${encodeURIComponent(projectName)}`);
  let address: string | undefined = `${origin}/api/v4/projects/${member(projects[0], 'id')}/error_tracking/errors?per_page=100`;
  let count = 0;
  while (address !== undefined) {
    const page = await pageOf(address);
    count += page.rows.length;
    address = page.next;
  }
  return count;
}

function member(value: unknown, name: string): string {
  return typeof value === 'object' && value !== null ? String(Reflect.get(value, name)) : '';
}
