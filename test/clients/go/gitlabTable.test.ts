import path from 'node:path';
import { clientTest, goProgram } from '../../support/clientSuite.ts';
import { callEveryRoute, type Differences, replaceLabelIdByName } from '../../support/clientTable.ts';
import { startThirdPartyClient } from '../../support/thirdPartyClient.ts';

const differences: Differences = {
  silent: [
    // Makes no request.
    'GenericPackages.FormatPackageURL',
    // These methods inspect the data that they send.
    'Achievements.CreateAchievement',
    'GroupImportExport.ImportFile',
    'SecureFiles.CreateSecureFile',
    'SecurityAttributes.BulkUpdateSecurityAttributes',
    'SecurityAttributes.CreateSecurityAttributes',
    'WorkItemSavedViews.CreateWorkItemSavedView',
  ],
  calls: {
    'GET /api/v4/job': 'it sends the token of a user',
    'GET /api/v4/application/plan_limits': 'it only knows the limits of packages',
    'PUT /api/v4/application/plan_limits': 'it only knows the limits of packages',
    'PUT /api/v4/application/settings': (example) => ({ ...example, params: { password_authentication_enabled_for_git: true } }),
    'PUT /api/v4/projects/:id by Projects.UploadAvatar': 'it only sends an image',
    'PUT /api/v4/groups/:id by Groups.UploadAvatar': 'it only sends an image',
    'PUT /api/v4/projects/:id/labels': replaceLabelIdByName,
    'DELETE /api/v4/projects/:id/labels': replaceLabelIdByName,
    'PUT /api/v4/groups/:id/labels': replaceLabelIdByName,
    'DELETE /api/v4/groups/:id/labels': replaceLabelIdByName,
  },
};

clientTest(
  'the Go client can call every route that it has a method for',
  () => goProgram(path.join(import.meta.dirname, 'gitlab')),
  async (command) => {
    await using client = await startThirdPartyClient(command, []);
    return await callEveryRoute(client, differences);
  },
);
