import type { Feature } from '../../http/feature.ts';
import { applicationPages } from './applicationPages.ts';
import { applicationRoutes } from './applicationRoutes.ts';
import { ensureBuiltInApplication } from './applications.ts';
import type { OAuthCore } from './oauthCore.ts';
import { oauthRoutes } from './routes.ts';
import { scheduleTokenCleanUp } from './tokens.ts';

export { applicationErrors } from './applicationRules.ts';
export { createApplication } from './applications.ts';
export { createFlows, type Flows } from './flows.ts';
export type { OAuthCore } from './oauthCore.ts';
export { oauthRefusal } from './route.ts';
export { signingKey } from './signingKey.ts';
export { applicationNames, applicationsOfTokens } from './store.ts';
export { isActiveAccessToken, sentAccessToken } from './tokens.ts';

/** OAuth provider, with the built-in application of the extension. */
export const oauth: Feature<OAuthCore> = {
  routes: (core) => [...applicationRoutes(core), ...oauthRoutes(core)],
  pages: applicationPages,
  start: (core) => {
    ensureBuiltInApplication(core);
    scheduleTokenCleanUp(core);
  },
};
