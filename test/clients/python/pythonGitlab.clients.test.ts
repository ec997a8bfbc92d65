import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';
const here = import.meta.dirname;

clientTest(
  'python-gitlab completes a working day in both dialects: project, issue, comment, closing, members, events, pages, error responses, deleted users',
  () => pythonWith(path.join(here, 'requirements.txt')),
  async (python) => {
    for (const dialect of ['documented', 'observed']) {
      await using server = await spawnServer(['serve', '--memory', '--dialect', dialect], {
        env: { SIGNALBOX_ADMIN_TOKEN: token },
      });
      const { stdout } = await promisify(execFile)(python, [path.join(here, 'story.py')], {
        env: testEnvironment([], { ORIGIN: server.origin, TOKEN: token }),
      });
      assert.deepEqual(JSON.parse(stdout), {
        username: 'root',
        version: '18.11.0-ee',
        same_project: true,
        note: { body: 'The fuse is blown.', author: 'root', system: false },
        state: 'closed',
        labels: ['hardware', 'track 2'],
        closed_issues: [1],
        project_events: [
          ['closed', 'Issue', 'Lamp 7 stays dark'],
          ['commented on', 'Note', 'Lamp 7 stays dark'],
          ['opened', 'Issue', 'Lamp 7 stays dark'],
          ['created', null, null],
        ],
        own_events: 4,
        notification_levels: ['watch', 'participating', 'mention', 'disabled', 'global', 'custom'].map((level) => [
          level,
          level,
          level,
        ]),
        notification_events: { new_note: true, new_issue: null, failed_pipeline: null },
        notification_email: 'root@signalbox.example',
        emails: [['root@work.example', null]],
        comments_only: ['The fuse is blown.'],
        walked: 46,
        total: 46,
        users: ['kim', 'root'],
        member_level: 30,
        joined_and_left: ['left', 'joined'],
        refusals: {
          missing: [404, '404 Project Not Found'],
          invalid: [400, 'action does not have a valid value'],
          again: [409, 'Email has already been taken'],
          level: [400, "'loud' is not a valid level"],
          address: [400, { notification_email: ['must be an email you have verified'] }],
          email: [400, { email: ['has already been taken'] }],
          anonymous: [401, '401 Unauthorized'],
        },
        renamed: 'kimberly',
        deleted: [[409, 'User cannot be removed while is the sole-owner of a group'], null],
        left: ['root'],
      });
    }
  },
);
