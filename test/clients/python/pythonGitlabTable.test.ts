import path from 'node:path';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { callEveryRow, type Differences } from '../../support/clientTable.ts';
import type { Example, Fixture } from '../../support/examples.ts';
import { startForeignClient } from '../../support/foreignClient.ts';

const here = import.meta.dirname;

const differences: Differences = {
  silent: [
    // They ask nobody.
    'Gitlab.enable_debug',
    'ProjectFile.decode',
    'ProjectIntegrationManager.available',
    'ProjectServiceManager.available',
    // They read a file of this machine first.
    'GenericPackageManager.upload',
    'GroupWiki.upload',
    'Project.upload',
    'ProjectWiki.upload',
    // They call another method, which is tried on its own.
    'CiLintManager.validate',
    'ProjectCiLintManager.validate',
    // Their managers cannot do it.
    'DeployToken.delete',
    'GroupLDAPGroupLink.delete',
    'GroupMemberRole.save',
    'MemberRole.save',
    'ProjectClusterAgent.save',
    'ProjectMergeRequestDiscussionNote.save',
    'ProjectMergeRequestStatusCheck.save',
  ],
  calls: {
    'PUT /api/v4/projects/:id/labels': nameALabel,
    'PUT /api/v4/groups/:id/labels': nameALabel,
  },
};

/** The client knows labels by their names only. */
async function nameALabel(example: Example, { server, fresh }: Fixture): Promise<Example> {
  const name = fresh('named');
  const owner = example.path?.['id'] ?? '';
  for (const place of ['projects', 'groups']) {
    await server.request('POST', `/api/v4/${place}/${owner}/labels`, {
      token: server.adminToken,
      json: { name, color: '#112233' },
    });
  }
  return { ...example, params: { name, description: 'What shines' } };
}

clientTest(
  'python-gitlab calls every row that it has a method for',
  () => pythonWith(path.join(here, 'requirements.txt')),
  async (python) => {
    await using client = await startForeignClient(python, [path.join(here, 'calls.py')]);
    return await callEveryRow(client, differences);
  },
);
