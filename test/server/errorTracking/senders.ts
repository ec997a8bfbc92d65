import assert from 'node:assert/strict';
import { createClientKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { writeSettings } from '../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { listErrors, type TrackedError } from '../../../server/features/errorTracking/read/readErrors.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { envelope } from '../../support/sentErrors.ts';
import type { TestResponse, TestServer } from '../../support/server.ts';

export { envelope };

/** A project with error tracking. */
export interface TrackedProject {
  readonly id: number;
  readonly path: string;
  readonly owner: Actor;
  readonly key: string;
  /** Sends bytes or text unchanged. `headers` are sent in addition to those of the key. */
  post(
    form: 'envelope' | 'store',
    body: string | Buffer<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestResponse>;
  /** Sends one event in an envelope. Returns its ID. */
  send(event: object, header?: object): Promise<string>;
  errors(): Promise<TrackedError[]>;
}

let projects = 0;

export function trackedProject(server: TestServer): TrackedProject {
  projects += 1;
  const owner = actor(server.platform, `sender${projects}`);
  const { project } = projectWith(server.platform, owner, { name: `Tracked ${projects}` });
  writeSettings(server.platform, project.id, { active: true, integrated: true });
  const { public_key: key } = createClientKey(server.platform, project.id);
  const post: TrackedProject['post'] = async (form, body, headers = {}) => {
    const response = await fetch(`${server.origin}/api/v4/error_tracking/collector/api/${project.id}/${form}/`, {
      method: 'POST',
      body,
      headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}, sentry_client=test/1`, ...headers },
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown };
  };
  return {
    id: project.id,
    path: project.full_path,
    owner,
    key,
    post,
    send: async (event, header = {}) => {
      const response = await post('envelope', envelope(header, { event }));
      assert.equal(response.status, 200, response.text);
      return (response.json() as { readonly id: string }).id;
    },
    errors: () =>
      listErrors(
        server.platform,
        project.id,
        { statuses: ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] },
        { order: 'last_seen', direction: 'desc', limit: 100 },
      ),
  };
}

let events = 0;

/** Returns an error of `fails` in `app/ship.py`, as a Python SDK sends it. `more` replaces members. */
export function errorEvent(fails: string, more: object = {}): object {
  events += 1;
  return {
    event_id: events.toString(16).padStart(32, '0'),
    platform: 'python',
    level: 'error',
    exception: {
      values: [
        {
          type: 'ValueError',
          value: `cannot ${fails}`,
          stacktrace: {
            frames: [
              { filename: 'app/main.py', function: 'main', lineno: 3, in_app: true },
              { filename: 'app/ship.py', function: fails, lineno: 10, in_app: true, context_line: '    raise ValueError()' },
            ],
          },
        },
      ],
    },
    ...more,
  };
}
