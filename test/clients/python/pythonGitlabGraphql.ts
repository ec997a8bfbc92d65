import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';
const here = import.meta.dirname;

export function testGraphql(): void {
  clientTest(
    "python-gitlab's GraphQL client reads the schema and uses it to read tracked errors with their stack traces",
    () => pythonWith(path.join(here, 'requirements.txt')),
    async (python) => {
      await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
      const { stdout } = await promisify(execFile)(python, [path.join(here, 'graphql_story.py')], {
        env: testEnvironment([], { ORIGIN: server.origin, TOKEN: token }),
      });
      const { stack, ...seen }: Record<string, unknown> = JSON.parse(stdout);
      assert.deepEqual(seen, {
        username: 'root',
        same_project: true,
        pages: [20, 5],
        errors: 25,
        detail: [true, 'ValueError: cannot shine', true],
        events: 1,
        anonymous: { currentUser: null, project: null },
        refused: [{ message: 'Invalid token' }],
      });
      assert.match(
        JSON.stringify(stack),
        /^\[\{"fileName":"lamp\.py","function":"step\d+","line":"7","col":"0","traceContext":\[\{"line":7,"code":"raise"\}\]\}\]$/,
      );
    },
  );
}
