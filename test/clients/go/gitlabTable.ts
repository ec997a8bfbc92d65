import path from 'node:path';
import { clientTest, goProgram } from '../../support/clientSuite.ts';
import { type callEveryRoute, type Change, type Differences, replaceLabelIdByName } from '../../support/clientTable.ts';
import { startThirdPartyClient } from '../../support/thirdPartyClient.ts';

const ADVANCED = 'the scope needs advanced search on the whole instance';
const OTHER_SCOPE = 'it searches another scope, in which nothing has the text of the example';

/** The client cannot send variables of the URL. */
const withoutUrlVariables: Change = (example) => {
  const { url_variables: _, url, ...params } = example.params ?? {};
  return { ...example, params: { ...params, url: String(url).replace('{key}', 'x') } };
};

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
    'POST /api/v4/projects/:id/hooks': withoutUrlVariables,
    'POST /api/v4/groups/:id/hooks': withoutUrlVariables,
    'GET /api/v4/search by Search.Blobs': ADVANCED,
    'GET /api/v4/search by Search.Commits': ADVANCED,
    'GET /api/v4/search by Search.WikiBlobs': ADVANCED,
    'GET /api/v4/search by Search.MergeRequests': OTHER_SCOPE,
    'GET /api/v4/search by Search.Milestones': OTHER_SCOPE,
    'GET /api/v4/search by Search.Projects': OTHER_SCOPE,
    'GET /api/v4/search by Search.SnippetTitles': OTHER_SCOPE,
    'GET /api/v4/search by Search.Users': OTHER_SCOPE,
    'PUT /api/v4/projects/:id by Projects.UploadAvatar': 'it only sends an image',
    'PUT /api/v4/groups/:id by Groups.UploadAvatar': 'it only sends an image',
    'PUT /api/v4/projects/:id/labels': replaceLabelIdByName,
    'DELETE /api/v4/projects/:id/labels': replaceLabelIdByName,
    'PUT /api/v4/groups/:id/labels': replaceLabelIdByName,
    'DELETE /api/v4/groups/:id/labels': replaceLabelIdByName,
  },
};

/** Declares the test with a function that calls all routes or some of them. */
export function gitlabTable(title: string, callRoutes: typeof callEveryRoute): void {
  clientTest(
    title,
    () => goProgram(path.join(import.meta.dirname, 'gitlab')),
    async (command) => {
      await using client = await startThirdPartyClient(command, []);
      return await callRoutes(client, differences);
    },
  );
}
