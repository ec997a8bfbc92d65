import type { Feature } from '../../http/feature.ts';
import { ensureBuiltInApplication } from './applications.ts';
import type { OAuthCore } from './oauthCore.ts';
import { oauthRoutes } from './routes.ts';
import { scheduleTokenCleanUp } from './tokens.ts';

/** OAuth provider, with the built-in application of the extension. */
export const oauth: Feature<OAuthCore> = {
  routes: oauthRoutes,
  start: (core) => {
    ensureBuiltInApplication(core);
    scheduleTokenCleanUp(core);
  },
};

export { applicationPages } from './applicationPages.ts';
export { applicationRoutes } from './applicationRoutes.ts';
export { applicationErrors } from './applicationRules.ts';
export { createApplication } from './applications.ts';
export { createFlows, type Flows } from './flows.ts';
export { oauthRefusal } from './route.ts';
export { signingKey } from './signingKey.ts';
export { isActiveAccessToken } from './tokens.ts';
