import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import Koa from 'koa';
import { controlRoutes } from './control/routes.ts';
import { accountRemoval } from './features/accountRemoval/accountRemoval.ts';
import { activity, activityRoutes } from './features/activity/activity.ts';
import { applicationSettings } from './features/applicationSettings/applicationSettings.ts';
import { approvalRules } from './features/approvalRules/approvalRules.ts';
import { audit } from './features/audit/audit.ts';
import { billingFeature } from './features/billing/billing.ts';
import { ciVariables } from './features/ciVariables/ciVariables.ts';
import { clientKeys } from './features/clientKeys/clientKeys.ts';
import { code } from './features/code/code.ts';
import { commitComments, commitNoteable } from './features/commitComments/commitComments.ts';
import { dependencyProxy, proxySignIn } from './features/dependencyProxy/dependencyProxy.ts';
import { deployKeys } from './features/deployKeys/deployKeys.ts';
import { deployTokens } from './features/deployTokens/deployTokens.ts';
import { deprecationFeature } from './features/deprecations/deprecations.ts';
import { emails } from './features/emails/emails.ts';
import { epics } from './features/epics/epics.ts';
import {
  errorIngestion,
  errorTracking,
  ingestRefusal,
  keyUseRoutes,
  streamProject,
  trackedErrorRoutes,
} from './features/errorTracking/errorTracking.ts';
import { forks } from './features/forks/forks.ts';
import { projectRepository } from './features/pushes/pushes.ts';
import { groups } from './features/groups/groups.ts';
import { home } from './features/home/home.ts';
import { hooks, sendWaiting } from './features/hooks/hooks.ts';
import { identity } from './features/identity/identity.ts';
import { integrations } from './features/integrations/integrations.ts';
import { issues, projectPages } from './features/issues/issues.ts';
import { jobTokens } from './features/jobTokens/jobTokens.ts';
import { labels } from './features/labels/labels.ts';
import { mailbox, mailRoutes, sendDue } from './features/mail/mail.ts';
import { members } from './features/members/members.ts';
import { mergeRequests } from './features/mergeRequests/mergeRequests.ts';
import { milestones } from './features/milestones/milestones.ts';
import { namespaces } from './features/namespaces/namespaces.ts';
import { notifications } from './features/notifications/notifications.ts';
import { oauth, oauthRefusal } from './features/oauth/oauth.ts';
import { packages } from './features/packages/packages.ts';
import { pipelineSchedules } from './features/pipelineSchedules/pipelineSchedules.ts';
import { pipelineBasic, pipelines, presentLastPipeline } from './features/pipelines/pipelines.ts';
import { projects } from './features/projects/projects.ts';
import { protectedRefs } from './features/protectedRefs/protectedRefs.ts';
import { registry, registryRefusal } from './features/registry/registry.ts';
import { releases, releasesByTag } from './features/releases/releases.ts';
import { runners } from './features/runners/runners.ts';
import { search } from './features/search/search.ts';
import { secretPushProtection } from './features/secretPushProtection/secretPushProtection.ts';
import { gitHeaders, gitRefusal, smartHttp } from './features/smartHttp/smartHttp.ts';
import { snippets } from './features/snippets/snippets.ts';
import { stars } from './features/stars/stars.ts';
import { storageMoves } from './features/storageMoves/storageMoves.ts';
import { sshKeys } from './features/sshKeys/sshKeys.ts';
import { stream } from './features/stream/stream.ts';
import { todos } from './features/todos/todos.ts';
import { uploads } from './features/uploads/uploads.ts';
import { virtualRegistries } from './features/virtualRegistries/virtualRegistries.ts';
import { graphqlRefusal, graphqlRoutes } from './graphql/routes.ts';
import { graphqlParts } from './graphqlParts.ts';
import { createPathAreas } from './http/areas.ts';
import { crossOrigin } from './http/crossOrigin.ts';
import type { Feature } from './http/feature.ts';
import type { Handlers } from './http/handlers.ts';
import { respondToClientErrors } from './http/clientErrors.ts';
import { MAX_TARGET_LENGTH } from './http/requestTarget.ts';
import { mount } from './http/mount.ts';
import { type AreaTable, plainRefusal } from './http/refusal.ts';
import type { Route } from './http/route.ts';
import { type RouteGroup, type RouteTable, routeTableOf } from './http/routeIndex.ts';
import { httpPartsOf } from './httpParts.ts';
import { openApiRoutes } from './openApi/routes.ts';
import type { Platform } from './platform.ts';
import { openReplica } from './replica.ts';
import { lazy } from './support/lazy.ts';
import { assetRoute } from './web/assets.ts';
import { pageHeaders } from './web/headers.ts';
import { pageRefusal } from './web/route.ts';

/**
 * The features, in the order in which their pages are matched and their subscribers of changes run. Endpoints come before pages.
 */
const features: readonly Feature<Platform>[] = [
  { routes: controlRoutes },
  activity,
  audit,
  mergeRequests,
  stream<Platform>((platform) => ({
    activity: routeOf(activityRoutes(platform), '/api/v4/events'),
    error: routeOf(trackedErrorRoutes(platform), '/api/v4/projects/:id/error_tracking/errors'),
    count: routeOf(trackedErrorRoutes(platform), '/api/v4/projects/:id/error_tracking/errors'),
    key: routeOf(keyUseRoutes(platform), '/api/v4/projects/:id/error_tracking/client_keys/:key_id'),
    mail: routeOf(mailRoutes(platform), '/api/v4/user/mails'),
  })),
  smartHttp,
  protectedRefs,
  deployTokens,
  deployKeys,
  sshKeys,
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
  hooks,
  billingFeature,
  errorIngestion,
  identity,
  accountRemoval,
  oauth,
  applicationSettings,
  projects(projectRepository),
  members,
  stars,
  issues,
  epics,
  groups,
  namespaces,
  labels,
  milestones,
  search,
  forks,
  approvalRules,
  code({ pipelines: { schema: pipelineBasic, lastOf: presentLastPipeline }, releasesByTag, commitNoteable }),
  releases,
  pipelines,
  packages,
  registry<Platform>(proxySignIn),
  snippets,
  uploads,
  commitComments,
  errorTracking,
  clientKeys,
  virtualRegistries,
  { routes: (platform) => graphqlRoutes(platform, () => graphqlParts(platform)) },
  home,
  { routes: openApiRoutes, pages: () => [assetRoute()] },
  projectPages,
];

/** Returns the routes of the features, endpoints before pages, in one group per feature. */
function routeGroups(platform: Platform): RouteGroup[] {
  return (['routes', 'pages'] as const).flatMap((kind) =>
    features.flatMap((feature) => {
      const routesOf = feature[kind];
      return routesOf === undefined ? [] : [lazy(() => routesOf(platform))];
    }),
  );
}

/** Returns the routes of all features. */
export function routeDefinitions(platform: Platform): Route[] {
  return routeGroups(platform).flatMap((group) => group());
}

// esbuild.js inserts the table. Unbundled sources create all routes to compute it.
declare const __SIGNALBOX_ROUTES__: RouteTable | undefined;

/** Table of the unbundled sources. The table does not depend on the platform. */
let computed: RouteTable | undefined;

function routeTable(groups: readonly RouteGroup[]): RouteTable {
  if (typeof __SIGNALBOX_ROUTES__ !== 'undefined') return __SIGNALBOX_ROUTES__;
  computed ??= routeTableOf(groups);
  return computed;
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
  /** Returns a route that replaces one of the features. Called when a request first needs the routes of its feature. */
  readonly observe?: (route: Route) => Route;
  /** Counts the requests in progress, so that callers can wait until there are none. */
  readonly handlers?: Handlers;
}

/** Handler of all requests to a platform. */
export interface App {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Must be called when the server listens: links contain its address, and what waits for it is sent. */
  attach(server: Server): void;
}

/**
 * Creates the handler of requests. Middleware order: cross-origin rules, page headers, then mount (host guard, request log, refusals,
 * routes). Error events and requests of programs to the API bypass Koa and go to mount directly.
 */
export function createHandler(platform: Platform, options: ServingOptions = {}): App {
  for (const { subscribe } of features) subscribe?.(platform);
  for (const { start } of features) start?.(platform);
  // Counts the events that an earlier process received but did not count.
  platform.inbox.flush();
  const app = new Koa();
  app.silent = true;
  const { handlers, routes: rows, observe } = options;
  if (handlers !== undefined) app.use(handlers.middleware);
  const groupsOf = (): readonly RouteGroup[] => {
    if (rows !== undefined) return [lazy(rows)];
    const groups = routeGroups(platform);
    return observe === undefined ? groups : groups.map((group) => lazy(() => group().map(observe)));
  };
  const table = rows === undefined ? routeTable(groupsOf()) : routeTableOf(groupsOf());
  const pathAreas = createPathAreas(table.areas);
  app.use(crossOrigin(pathAreas, table.crossOrigin, () => streamProject(platform) !== undefined));
  app.use(pageHeaders(pathAreas));
  const { middleware, take } = mount(httpPartsOf(platform), groupsOf, table, pathAreas, areas(platform), options.publicUrl);
  app.use(middleware);
  const received = app.callback();
  return {
    handle: (request, response) => {
      const taken = take(request, response);
      if (taken === undefined) void received(request, response);
      else void (handlers?.count(taken) ?? taken);
    },
    attach: (server) => {
      platform.ownRequests.attach(server);
      const listening = originOf(server);
      Object.assign(platform.origin, { value: options.publicUrl ?? listening, listening });
      sendDue(platform);
      sendWaiting(platform);
    },
  };
}

/** Creates the HTTP server of a platform. */
export function createApp(platform: Platform, options: ServingOptions = {}): Server {
  const { handle, attach } = createHandler(platform, options);
  const server = createHttpServer(handle);
  platform.ownRequests.attach(server);
  server.once('listening', () => attach(server));
  return server;
}

export function createHttpServer(handle: App['handle']): Server {
  // With 64 KiB of headers, nearly every query that is too long gets its status from the routes (docs/interface.md#requests).
  const server = createServer({ maxHeaderSize: 65_536 }, handle);
  respondToClientErrors(server, MAX_TARGET_LENGTH);
  server.headersTimeout = 60_000;
  // Packs of git can take long to arrive; other bodies have their own limit of time.
  server.requestTimeout = 4 * 60 * 60_000;
  server.keepAliveTimeout = 5_000;
  server.maxConnections = 10_000;
  return server;
}
