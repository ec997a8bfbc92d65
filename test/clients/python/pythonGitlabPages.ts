import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { ROWS, startPages } from '../../support/clientPages.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';

const here = import.meta.dirname;

export function testPages(): void {
  clientTest(
    'python-gitlab reads lists by offset and by keyset, raises the exception of each action and of a rate limit, and retries when the gateway fails',
    () => pythonWith(path.join(here, 'requirements.txt')),
    async (python) => {
      await using pages = await startPages();
      const { origin, token, plainToken } = pages;
      const env = testEnvironment([], { ORIGIN: origin, TOKEN: token, PLAIN_TOKEN: plainToken });
      const { stdout } = await promisify(execFile)(python, [path.join(here, 'pages.py')], { env });
      // The client warns about lists that it has not read to the end, if it knows their length.
      const offset = { rows: ROWS, same: true, warned: ['UserWarning'], totals: [ROWS, 3], page: [null, 1, 2, 20] };
      const keyset = { rows: ROWS, same: true, warned: [], totals: [null, null], page: null };
      const refusal = (message: unknown) => [message, { message }];
      const taken = ['has already been taken'];
      const noKeyset = 'Keyset pagination is not yet available for this type of request';
      const blocksItself = '403 Forbidden - The API initiating user cannot be blocked by the API';
      const state = 'state does not have a valid value';
      assert.deepEqual(JSON.parse(stdout), {
        pages: {
          issues: offset,
          projects: keyset,
          'newest projects': keyset,
          groups: keyset,
          users: keyset,
          'users by default': keyset,
          'users by page': offset,
          tree: keyset,
          configured: ROWS,
          'second page': true,
        },
        errors: {
          get: ['GitlabGetError', 404, ...refusal('404 Project Not Found')],
          list: ['GitlabListError', 400, state, { error: state }],
          order: ['GitlabListError', 405, noKeyset, { error: noKeyset }],
          create: ['GitlabCreateError', 400, ...refusal({ 'project_namespace.name': taken, name: taken, path: taken })],
          'create without title': ['GitlabCreateError', 400, ...refusal({ title: ["can't be blank"] })],
          'create without permission': ['GitlabCreateError', 403, ...refusal('403 Forbidden')],
          update: ['GitlabUpdateError', 404, ...refusal('404 Not found')],
          delete: ['GitlabDeleteError', 404, ...refusal('404 Group Not Found')],
          'delete without permission': ['GitlabDeleteError', 403, ...refusal('403 Forbidden')],
          block: ['GitlabBlockError', 403, ...refusal(blocksItself)],
          raw: ['GitlabHttpError', 404, '404 Not Found', { error: '404 Not Found' }],
          'without a token': ['GitlabAuthenticationError', 401, ...refusal('401 Unauthorized')],
          'with a wrong token': ['GitlabAuthenticationError', 401, ...refusal('401 Unauthorized')],
          gateway: ['GitlabHttpError', 502, 'The server does not respond.', 'The server does not respond.'],
        },
        retried: '18.11.0-ee',
        limits: {
          once: null,
          'too often': ['GitlabHttpError', 429, 'Retry later\n'],
          list: ['GitlabListError', 429, 'Retry later\n'],
        },
      });
    },
  );
}
