import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';
const here = import.meta.dirname;

export function testHooks(): void {
  clientTest(
    'python-gitlab creates, tests, changes and deletes hooks of projects and groups, and receives what they deliver',
    () => pythonWith(path.join(here, 'requirements.txt')),
    async (python) => {
      await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
      const { stdout } = await promisify(execFile)(python, [path.join(here, 'hooks_story.py')], {
        env: testEnvironment([], { ORIGIN: server.origin, TOKEN: token }),
      });
      const machine = 'is blocked: the local server delivers to this machine only (127.0.0.0/8, ::1 or localhost)';
      assert.deepEqual(JSON.parse(stdout), {
        created: [true, true, false, true, false],
        listed: [true],
        delivered: ['Issue Hook', 'of the receiver', 'issue', 'Lamp 7 stays dark'],
        tested: ['Issue Hook', 'Lamp 7 stays dark'],
        saved: true,
        refused: [422, { url: [machine] }],
        of_group: ['Issue Hook', null, 'lamps/inside'],
        left_in_group: [],
        left: [],
      });
    },
  );
}
