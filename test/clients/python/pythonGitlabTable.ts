import path from 'node:path';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';
import { type callEveryRoute, type Differences, replaceLabelIdByName } from '../../support/clientTable.ts';
import { startThirdPartyClient } from '../../support/thirdPartyClient.ts';

const here = import.meta.dirname;

const differences: Differences = {
  silent: [
    // Make no request.
    'Gitlab.enable_debug',
    'ProjectFile.decode',
    'ProjectIntegrationManager.available',
    'ProjectServiceManager.available',
    // Read a local file first.
    'GenericPackageManager.upload',
    'GroupWiki.upload',
    'Project.upload',
    'ProjectWiki.upload',
    // Call another method, which is tested separately.
    'CiLintManager.validate',
    'ProjectCiLintManager.validate',
    // Not supported by their managers.
    'DeployToken.delete',
    'GroupLDAPGroupLink.delete',
    'GroupMemberRole.save',
    'MemberRole.save',
    'ProjectClusterAgent.save',
    'ProjectMergeRequestDiscussionNote.save',
    'ProjectMergeRequestStatusCheck.save',
    // Not available on any object.
    'GroupEpicAwardEmojiManager',
    'GroupEpicDiscussionNoteManager',
    'ProjectAuditManager',
  ],
  calls: {
    'PUT /api/v4/projects/:id/labels': replaceLabelIdByName,
    'PUT /api/v4/groups/:id/labels': replaceLabelIdByName,
  },
};

/** Declares the test with a function that calls all routes or some of them. */
export function pythonGitlabTable(title: string, callRoutes: typeof callEveryRoute): void {
  clientTest(
    title,
    () => pythonWith(path.join(here, 'requirements.txt')),
    async (python) => {
      await using client = await startThirdPartyClient(python, [path.join(here, 'calls.py')]);
      return await callRoutes(client, differences);
    },
  );
}
