import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { ROWS, startPages } from '../../support/clientPages.ts';
import { clientTest, goProgram } from '../../support/clientSuite.ts';

export function testPages(): void {
  clientTest(
    'the Go client reads lists by page, link and iterator, returns errors with status and message, also for a rate limit, and retries when the gateway fails',
    () => goProgram(path.join(import.meta.dirname, 'gitlab')),
    async (command) => {
      await using pages = await startPages();
      const { origin, token, plainToken } = pages;
      const env = testEnvironment([], { ORIGIN: origin, TOKEN: token, PLAIN_TOKEN: plainToken });
      const { stdout } = await promisify(execFile)(command, ['pages'], { env });
      const walk = [ROWS, true];
      const messageOf = (message: string) => [`{message: ${message}}`, false, { message }];
      const errorOf = (error: string) => [`{error: ${error}}`, false, { error }];
      // The client does not read the body of a 404.
      const notFound = [404, 'Not Found', true, null];
      const taken = ['has already been taken'];
      assert.deepEqual(JSON.parse(stdout), {
        // Page, previous page, next page, rows per page, pages, rows.
        pages: {
          rows: ROWS,
          reported: [
            [1, 0, 2, 20, 3, ROWS],
            [2, 1, 3, 20, 3, ROWS],
            [3, 2, 0, 20, 3, ROWS],
          ],
        },
        links: { rows: ROWS, sorted: true, next: 3 },
        walks: { issues: walk, projects: walk, groups: walk, users: walk, tree: walk },
        failures: {
          get: notFound,
          list: [400, ...errorOf('state does not have a valid value')],
          order: [405, ...errorOf('Keyset pagination is not yet available for this type of request')],
          create: [
            400,
            `{message: ${['name', 'path', 'project_namespace.name'].map((name) => `{${name}: [${taken.join()}]}`).join(', ')}}`,
            false,
            { message: { name: taken, path: taken, 'project_namespace.name': taken } },
          ],
          'create without permission': [403, ...messageOf('403 Forbidden')],
          update: notFound,
          'delete without permission': [403, ...messageOf('403 Forbidden')],
          block: [403, ...messageOf('403 Forbidden - The API initiating user cannot be blocked by the API')],
          'with a wrong token': [401, ...messageOf('401 Unauthorized')],
          'too often': [429, 'failed to parse unknown error format: Retry later\n', false, null],
          gateway: [502, 'failed to parse unknown error format: The server does not respond.', false, null],
        },
        retried: '18.11.0-ee',
        limit: ['600', '2', '0'],
      });
    },
  );
}
