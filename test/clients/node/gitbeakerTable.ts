import { clientTest } from '../../support/clientSuite.ts';
import { type callEveryRoute, type Differences } from '../../support/clientTable.ts';
import { walkGitbeaker } from './gitbeakerCalls.ts';

const differences: Differences = {
  silent: [
    // Look for the token where the client does not store it.
    'Jobs.showConnectedJob',
    'Jobs.showConnectedJobK8Agents',
  ],
  calls: {
    // Demands a token that the route does not read.
    'POST /api/v4/runners/reset_registration_token': (example) => ({ ...example, params: { token: 'any' } }),
    'GET /api/v4/keys': 'it writes the fingerprint into the path, where the walk does not look for parameters',
    'PUT /api/v4/projects/:id by Projects.uploadAvatar': 'it only sends an image',
    'POST /api/v4/projects/:id/issues/:issue_iid/notes by Issues.promote': 'it adds a quick action to the comment',
  },
};

/** Declares the test with a function that calls all routes or some of them. */
export function gitbeakerTable(title: string, callRoutes: typeof callEveryRoute): void {
  clientTest(title, walkGitbeaker, (client) => callRoutes(client, differences));
}
