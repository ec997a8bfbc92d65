export { applicationErrors } from './applicationRules.ts';
export { applicationPages } from './applicationPages.ts';
export { applicationRoutes } from './applicationRoutes.ts';
export { createApplication, ensureBuiltInApplication } from './applications.ts';
export { createFlows, type Flows } from './flows.ts';
export { oauthRefusal } from './route.ts';
export { oauthRoutes } from './routes.ts';
export { signingKey } from './signingKey.ts';
export { isActiveAccessToken, scheduleTokenCleanUp } from './tokens.ts';
