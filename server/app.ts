import type { Server } from 'node:http';
import { createServer } from 'node:http';
import Koa from 'koa';
import { personPages } from './features/activity/pages.ts';
import { activityRoutes } from './features/activity/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { controlRoutes } from './control/routes.ts';
import { clientKeys } from './features/clientKeys/clientKeys.ts';
import {
  errorIngestion,
  errorTracking,
  ingestRefusal,
  streamProject,
  trackedErrorRoutes,
} from './features/errorTracking/errorTracking.ts';
import { forkRoutes } from './features/forks/routes.ts';
import { emails } from './features/emails/feature.ts';
import { approvalRuleRoutes } from './features/approvalRules/routes.ts';
import { mailbox } from './features/mail/feature.ts';
import { mailRoutes } from './features/mail/routes.ts';
import { sendDue } from './features/mail/sending.ts';
import { notifications } from './features/notifications/notifications.ts';
import { applicationPages, applicationRoutes, oauth, oauthRefusal } from './features/oauth/oauth.ts';
import { gitHeaders, gitRefusal } from './features/smartHttp/refusals.ts';
import { deprecationFeature } from './features/deprecations/feature.ts';
import { proxySignIn } from './features/dependencyProxy/dependencyProxy.ts';
import { dependencyProxy } from './features/dependencyProxy/feature.ts';
import { deployKeys } from './features/deployKeys/feature.ts';
import { deployTokens } from './features/deployTokens/feature.ts';
import { ciVariables } from './features/ciVariables/feature.ts';
import { jobTokens } from './features/jobTokens/feature.ts';
import { pipelineSchedules } from './features/pipelineSchedules/feature.ts';
import { protectedRefs } from './features/protectedRefs/feature.ts';
import { runners } from './features/runners/feature.ts';
import { smartHttp } from './features/smartHttp/smartHttp.ts';
import { secretPushProtection } from './features/secretPushProtection/feature.ts';
import { integrations } from './features/integrations/feature.ts';
import { billingFeature } from './features/billing/feature.ts';
import { todos } from './features/todos/feature.ts';
import { storageMoves } from './features/storageMoves/storageMoves.ts';
import { commitComments, commitNoteable } from './features/commitComments/commitComments.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import type { Feature } from './http/feature.ts';
import { epicPages } from './features/epics/pages.ts';
import { epicRoutes } from './features/epics/routes.ts';
import { git, projectRepository } from './features/git/git.ts';
import { graphqlRefusal, graphqlRoutes } from './graphql/routes.ts';
import { groupPages } from './features/groups/pages.ts';
import { namespaces } from './features/namespaces/namespaces.ts';
import { groupRoutes } from './features/groups/routes.ts';
import type { Handlers } from './http/handlers.ts';
import { crossOrigin } from './http/crossOrigin.ts';
import { type AreaTable, mount, plainRefusal } from './http/mount.ts';
import type { Route } from './http/route.ts';
import { type RouteGroup, type RouteTable, routeTableOf } from './http/routeIndex.ts';
import { accountPages } from './features/identity/accountPages.ts';
import { identityRoutes } from './features/identity/routes.ts';
import { tokenPages } from './features/identity/tokenPages.ts';
import { twoFactorPages } from './features/identity/twoFactorPages.ts';
import { milestonePages } from './features/issues/milestonePages.ts';
import { issuePages } from './features/issues/pages.ts';
import { issueRoutes } from './features/issues/routes.ts';
import { labelRoutes } from './features/labels/routes.ts';
import { milestoneRoutes } from './features/milestones/routes.ts';
import { mergeRequestPages } from './features/mergeRequests/pages.ts';
import { mergeRequestRoutes } from './features/mergeRequests/routes.ts';
import { openReplica } from './replica.ts';
import { lazy } from './support/lazy.ts';
import type { Platform } from './platform.ts';
import { projectRoutes } from './features/projects/routes.ts';
import { streamRoutes } from './features/stream/routes.ts';
import { snippetPages } from './features/snippets/pages.ts';
import { snippetRoutes } from './features/snippets/routes.ts';
import { attachSubscribers } from './subscribers.ts';
import { openApiRoutes } from './openApi/routes.ts';
import { releasesByTag } from './features/releases/releases.ts';
import { releasePages } from './features/releases/pages.ts';
import { releaseRoutes } from './features/releases/routes.ts';
import { packagePages } from './features/packages/pages.ts';
import { packageRoutes } from './features/packages/routes.ts';
import { pipelineBasic, presentLastPipeline } from './features/pipelines/pipelines.ts';
import { pipelinePages } from './features/pipelines/pages.ts';
import { pipelineRoutes } from './features/pipelines/routes.ts';
import { registryAuthRoutes, registryRefusal } from './features/registry/authRoutes.ts';
import { registryRoutes } from './features/registry/routes.ts';
import { applicationSettings } from './features/applicationSettings/applicationSettings.ts';
import { virtualRegistryRoutes } from './features/virtualRegistries/routes.ts';
import { pageHeaders } from './web/headers.ts';
import { pageRefusal } from './web/route.ts';
import { signInPages } from './features/identity/signIn/pages.ts';
import { scheduleSignInCleanUp } from './features/identity/signIn/cleanUp.ts';
import { httpPartsOf } from './httpParts.ts';
import { assetRoute } from './web/assets.ts';

/** Features that bring their own routes and scheduled work. */
const modules: readonly Feature<Platform>[] = [
  smartHttp,
  protectedRefs,
  deployTokens,
  deployKeys,
  dependencyProxy,
  ciVariables,
  jobTokens,
  deprecationFeature<Platform>((original, baseUrl) =>
    openReplica(original, (platform, publicUrl) => createApp(platform, { publicUrl }), baseUrl),
  ),
  runners,
  pipelineSchedules,
  storageMoves,
  notifications,
  emails,
  mailbox,
  todos,
  secretPushProtection,
  integrations,
  billingFeature,
];

const repositories = git({
  pipelines: { schema: pipelineBasic, lastOf: presentLastPipeline },
  releasesByTag,
  commitNoteable,
});

/** Functions that create the routes of each feature, in the order in which the routes are matched. */
const features: readonly ((platform: Platform) => Route[])[] = [
  ...modules.map(({ routes }) => routes),
  controlRoutes,
  streamingRoutes,
  errorIngestion.routes,
  identityRoutes,
  applicationRoutes,
  applicationSettings.routes,
  (platform) => projectRoutes(platform, projectRepository),
  groupRoutes,
  namespaces.routes,
  labelRoutes,
  milestoneRoutes,
  forkRoutes,
  issueRoutes,
  mergeRequestRoutes,
  approvalRuleRoutes,
  epicRoutes,
  repositories.routes,
  releaseRoutes,
  pipelineRoutes,
  packageRoutes,
  registryRoutes,
  snippetRoutes,
  uploadRoutes,
  commitComments.routes,
  errorTracking.routes,
  clientKeys.routes,
  graphqlRoutes,
  (platform) => registryAuthRoutes(platform, proxySignIn(platform)),
  virtualRegistryRoutes,
  activityRoutes,
  auditRoutes,
  oauth.routes,
  openApiRoutes,
  () => [assetRoute()],
  signInPages,
  accountPages,
  applicationPages,
  tokenPages,
  twoFactorPages,
  milestonePages,
  epicPages,
  mergeRequestPages,
  groupPages,
  personPages,
  repositories.pages,
  releasePages,
  pipelinePages,
  packagePages,
  snippetPages,
  issuePages,
];

function streamingRoutes(platform: Platform): Route[] {
  return streamRoutes(platform, {
    activity: routeOf(activityRoutes(platform), '/api/v4/events'),
    error: routeOf(trackedErrorRoutes(platform), '/api/v4/projects/:id/error_tracking/errors'),
    mail: routeOf(mailRoutes(platform), '/api/v4/user/mails'),
  });
}

/** Returns the routes of the features, one group per feature. */
function routeGroups(platform: Platform): RouteGroup[] {
  return features.map((routesOf) => lazy(() => routesOf(platform)));
}

/** Returns the routes of all features. */
export function routeDefinitions(platform: Platform): Route[] {
  return routeGroups(platform).flatMap((group) => group());
}

// esbuild.js inserts the table. Unbundled sources create all routes to compute it.
declare const __SIGNALBOX_ROUTES__: RouteTable | undefined;

function routeTable(groups: readonly RouteGroup[]): RouteTable {
  return typeof __SIGNALBOX_ROUTES__ === 'undefined' ? routeTableOf(groups) : __SIGNALBOX_ROUTES__;
}

/** Returns the route table for the build. */
export function builtRouteTable(platform: Platform): RouteTable {
  return routeTableOf(routeGroups(platform));
}

function routeOf(routes: readonly Route[], path: string): Route {
  const row = routes.find((one) => one.method === 'GET' && one.path === path);
  if (row === undefined) throw new Error(`no route GET ${path}`);
  return row;
}

const plainHeaders = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'SAMEORIGIN' } as const;
const secretHeaders = { ...plainHeaders, 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** Returns the format of refusals and the headers of each area. */
function areas(platform: Platform): AreaTable {
  return {
    api: { refuse: plainRefusal, headers: plainHeaders, conditional: true },
    control: { refuse: plainRefusal, headers: secretHeaders, conditional: false },
    oauth: { refuse: oauthRefusal(platform), headers: secretHeaders, conditional: false },
    registry: { refuse: registryRefusal(platform, proxySignIn(platform)), headers: secretHeaders, conditional: false },
    graphql: { refuse: graphqlRefusal, headers: plainHeaders, conditional: false },
    ingest: { refuse: ingestRefusal(platform), headers: plainHeaders, conditional: false },
    git: { refuse: gitRefusal, headers: gitHeaders, conditional: false },
    page: { refuse: pageRefusal, headers: { 'Cache-Control': 'no-store' }, conditional: false },
  };
}

/** Returns the address at which a listening server can be reached from the same machine. */
function originOf(server: Server): string {
  const address = server.address();
  return address === null || typeof address === 'string' ? '' : `http://127.0.0.1:${address.port}`;
}

export interface ServingOptions {
  readonly publicUrl?: string | undefined;
  /** Creates the routes that replace those of the features. Called again when the emulated profile changes. */
  readonly routes?: () => readonly Route[];
  /** Counts the requests in progress, so that callers can wait until there are none. */
  readonly handlers?: Handlers;
}

/**
 * Creates the HTTP server. Middleware order: cross-origin rules, page headers, then mount (host guard, request log, refusals, routes).
 * Error events bypass Koa and go to mount directly.
 */
export function createApp(platform: Platform, options: ServingOptions = {}): Server {
  scheduleSignInCleanUp(platform);
  attachSubscribers(platform);
  for (const { start } of [...modules, errorTracking, oauth]) start?.(platform);
  // Counts the events that an earlier process received but did not count.
  platform.inbox.flush();
  const app = new Koa();
  app.silent = true;
  const { handlers, routes: rows } = options;
  if (handlers !== undefined) app.use(handlers.middleware);
  app.use(crossOrigin(() => streamProject(platform) !== undefined));
  app.use(pageHeaders());
  const groupsOf = (): readonly RouteGroup[] => (rows === undefined ? routeGroups(platform) : [lazy(rows)]);
  const table = rows === undefined ? routeTable(groupsOf()) : routeTableOf(groupsOf());
  const { middleware, takeEvent } = mount(httpPartsOf(platform), groupsOf, table, areas(platform), options.publicUrl);
  app.use(middleware);
  const received = app.callback();
  // Allows 64 KiB of headers, so that a long query gets status 414 from this server instead of Node's 431 (docs/interface.md#requests).
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const taken = takeEvent(request, response);
    if (taken === undefined) void received(request, response);
    else void (handlers?.count(taken) ?? taken);
  });
  server.once('listening', () => {
    platform.origin.value = options.publicUrl ?? originOf(server);
    sendDue(platform);
  });
  server.headersTimeout = 60_000;
  // Packs of git can take long to arrive; other bodies have their own limit of time.
  server.requestTimeout = 4 * 60 * 60_000;
  server.keepAliveTimeout = 5_000;
  server.maxConnections = 10_000;
  return server;
}
