import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readPublicKey } from '../../../server/features/sshKeys/publicKey.ts';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';
const here = import.meta.dirname;

export function testRecords(): void {
  clientTest(
    'python-gitlab keeps SSH keys of users and variables of projects and groups, and searches the instance, groups and projects',
    () => pythonWith(path.join(here, 'requirements.txt')),
    async (python) => {
      await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
      const [first, second] = [freshPublicKey(), freshPublicKey()];
      const { stdout } = await promisify(execFile)(python, [path.join(here, 'records_story.py')], {
        env: testEnvironment([], {
          ORIGIN: server.origin,
          TOKEN: token,
          KEYS: `${first},${second}`,
          FINGERPRINT: readPublicKey(first)?.fingerprintSha256 ?? '',
        }),
      });
      const variables = {
        listed: [
          ['LAMP', 'env_var'],
          ['WATCH', 'file'],
        ],
        shown: ['bright', false],
        taken: [400, { key: ['(LAMP) has already been taken'] }],
        left: [],
      };
      assert.deepEqual(JSON.parse(stdout), {
        keys: {
          own: ['Laptop', 'Desk'],
          shown: true,
          user: 'root',
          fingerprint: 'Laptop',
          taken: [400, { fingerprint_sha256: ['has already been taken'] }],
          invalid: [400, { key: ['is invalid'], fingerprint_sha256: ['cannot be generated'] }],
          given: [['Desk'], ['Given'], 'auth_and_signing'],
          removed: [],
        },
        variables: {
          project: { ...variables, missing: [404, '404 Variable Not Found'] },
          group: { ...variables, missing: [404, '404 GroupVariable Not Found'] },
        },
        search: {
          instance: [['Lamp store', 'Signal lamps'], ['The lamp is dark'], [], ['Lamp plan'], ['Lamp snippet']],
          group: [['Lamp store'], ['The lamp is dark'], [], ['Lamp plan']],
          project: [['The lamp is dark'], ['Lamp plan'], ['A lamp fuse'], ['Add a lamp'], ['lamp.md', 'lamp.md'], []],
          users: [['Administrator'], ['Administrator'], ['Administrator']],
          blobs: [
            [1, 'one\nthe lamp\n'],
            [1, 'one\nthe lamp\n'],
          ],
          advanced: [400, { error: 'Scope supported only with advanced search or exact code search' }],
          unknown: [400, 'scope does not have a valid value'],
        },
      });
    },
  );
}
