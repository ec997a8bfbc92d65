import path from 'node:path';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { callEveryRoute, type Differences, replaceLabelIdByName } from '../../support/clientTable.ts';
import { startThirdPartyClient } from '../../support/thirdPartyClient.ts';

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
    // No object has them.
    'GroupEpicAwardEmojiManager',
    'GroupEpicDiscussionNoteManager',
    'ProjectAuditManager',
  ],
  calls: {
    'PUT /api/v4/projects/:id/labels': replaceLabelIdByName,
    'PUT /api/v4/groups/:id/labels': replaceLabelIdByName,
  },
};

clientTest(
  'python-gitlab calls every row that it has a method for',
  () => pythonWith(path.join(here, 'requirements.txt')),
  async (python) => {
    await using client = await startThirdPartyClient(python, [path.join(here, 'calls.py')]);
    return await callEveryRoute(client, differences);
  },
);
