import type { Core } from '../core/core.ts';
import type { OAuthCore } from '../features/oauth/oauth.ts';
import { appliedSeed } from '../seeds/seedResponse.ts';
import * as z from 'zod';
import { isSnapshotName } from '../../src/contract/control.ts';
import { isoTime, parseTime } from '../core/clock.ts';
import { accepted, type ResponseSchema, listOf } from '../http/responses.ts';
import { bearerOf } from '../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../http/requestContext.ts';
import {
  conflict,
  forbidden,
  invalidParameters,
  invalidRecord,
  notFound,
  storageFailed,
  tooLarge,
  unauthenticated,
  unprocessable,
} from '../core/errors.ts';
import { MAX_STEP_SECONDS, setStepSeconds, stepSeconds, storageUsage } from '../features/storageMoves/storageMoves.ts';
import { isForeignOrigin } from '../http/hostGuard.ts';
import { readRawParameters } from '../http/input.ts';
import {
  integer,
  oneOf,
  opaque,
  type ParametersOf,
  type ParameterSet,
  readParameters,
  required,
  string,
} from '../http/params.ts';
import type { Method, Route } from '../http/route.ts';
import { lazy } from '../support/lazy.ts';
import { findUserByIdOrName } from '../features/users/users.ts';
import { isAdminToken } from '../features/authentication/authentication.ts';
import { isBlocked, lockReason } from '../features/accountRules/accountRules.ts';
import { mintSignInLink } from '../features/signIn/signIn.ts';
import { Fatal } from '../core/fatal.ts';
import type { Platform, Replaced, Replacement } from '../platform.ts';
import { dialects, offerings, releases, tiers } from '../core/profile.ts';
import { isAutomaticName, type Snapshot, type Snapshots } from '../snapshots/snapshots.ts';
import { MAX_SEED_BYTES, applySeed, SeedRefused } from '../seeds/seeds.ts';
import {
  clockResponse,
  flowSummary,
  flowWithSteps,
  health,
  logResponse,
  replacedResponse,
  requestLogResponse,
  signInLink,
  movePace,
  profileResponse,
  snapshotResponse,
  storageUsageResponse,
} from './responses.ts';

const clockParameters = () => ({ freeze_at: opaque(), advance_seconds: integer(), reset: opaque() });
const profileParameters = () => ({
  release: oneOf(releases)(),
  tier: oneOf(tiers)(),
  offering: oneOf(offerings)(),
  dialect: oneOf(dialects)(),
});
const signInLinkParameters = () => ({ username: required(string), return_to: opaque() });
const snapshotParameters = () => ({ name: opaque() });
const restoreParameters = () => ({ name: required(opaque) });
const resetParameters = () => ({ seed: oneOf(['start', 'none'])() });
const seedParameters = () => ({ name: opaque(), text: required(opaque) });
const paceParameters = () => ({ step_seconds: required(integer) });

/** Control API of this server (docs/interface.md#local-control). Requires the admin token and a valid Host and Origin; never cross-origin. */
export function controlRoutes(platform: Platform): Route[] {
  const control = <Shape extends ParameterSet>(route: ControlRoute<Shape>, handle: ControlHandler<Shape>): Route =>
    controlRoute(platform, route, handle);
  const none = () => ({});

  return [
    healthRoute(platform),
    control({ method: 'GET', path: '/_local/clock', body: clockResponse, params: none }, clockState),
    control({ method: 'POST', path: '/_local/clock', body: clockResponse, params: clockParameters, status: 200 }, moveClock),
    control({ method: 'GET', path: '/_local/profile', body: profileResponse, params: none }, ({ profile }) => profile),
    control({ method: 'PUT', path: '/_local/profile', body: profileResponse, params: profileParameters }, changeProfile),
    control(
      { method: 'GET', path: '/_local/requests', body: requestLogResponse, params: () => ({ limit: integer() }) },
      ({ requestLog }, { limit }) => requestLog.list(limit ?? 100),
    ),
    control({ method: 'GET', path: '/_local/oauth/flows', body: listOf(flowSummary), params: none }, ({ flows, clock }) =>
      flows.list(clock.now()),
    ),
    control({ method: 'GET', path: '/_local/oauth/flows/:id', body: flowWithSteps, params: none }, showFlow),
    control({ method: 'POST', path: '/_local/sign-in-links', body: signInLink, params: signInLinkParameters }, createSignInLink),
    control({ method: 'GET', path: '/_local/snapshots', body: listOf(snapshotResponse), params: none }, (parts) =>
      snapshotsOf(parts).list().map(presentSnapshot),
    ),
    control({ method: 'POST', path: '/_local/snapshots', body: snapshotResponse, params: snapshotParameters }, takeSnapshot),
    control({ method: 'POST', path: '/_local/restore', body: replacedResponse, params: restoreParameters, status: 200 }, restore),
    control({ method: 'POST', path: '/_local/reset', body: replacedResponse, params: resetParameters, status: 200 }, reset),
    control(
      { method: 'GET', path: '/_local/log', body: logResponse, params: () => ({ limit: integer() }) },
      ({ log }, { limit }) => log.latest(limit ?? 100).map((line) => ({ ...line, at: isoTime(line.at) })),
    ),
    control(
      // Every byte may be sent as an escape sequence.
      { method: 'POST', path: '/_local/seeds', body: appliedSeed, params: seedParameters, maxBody: 6 * MAX_SEED_BYTES + 10_000 },
      applySentSeed,
    ),
    control({ method: 'GET', path: '/_local/storages', body: listOf(storageUsageResponse), params: none }, storageUsage),
    control({ method: 'GET', path: '/_local/storage-moves', body: movePace, params: none }, (parts) => ({
      step_seconds: stepSeconds(parts),
    })),
    control({ method: 'PUT', path: '/_local/storage-moves', body: movePace, params: paceParameters }, changePace),
    control({ method: 'POST', path: '/_local/shutdown', body: accepted, params: none, status: 202 }, shutDown),
  ];
}

type ControlHandler<Shape extends ParameterSet> = (
  platform: Platform,
  params: z.output<z.ZodObject<Shape>>,
  context: RequestContext,
) => unknown;

interface ControlRoute<Shape extends ParameterSet> {
  readonly method: Method;
  readonly path: string;
  readonly body: ResponseSchema;
  readonly params: () => Shape;
  /** Status of a successful response; by default 201 for POST and 200 otherwise. */
  readonly status?: number;
  /** Maximum size of a body, in bytes. */
  readonly maxBody?: number;
}

function controlRoute<Shape extends ParameterSet>(
  platform: Platform,
  { method, path, body, params, status = method === 'POST' ? 201 : 200, maxBody }: ControlRoute<Shape>,
  handle: ControlHandler<Shape>,
): Route {
  const schema = lazy(() => z.object(params()));
  return {
    area: 'control',
    method,
    path,
    body,
    specRef: 'Local control',
    status: 'local',
    scopes: [],
    role: 'control',
    successStatus: status,
    schema,
    handle: async (context): Promise<HttpResponse> => {
      refuseForeign(context);
      const token = bearerOf(context.headers.authorization);
      if (token === undefined || !isAdminToken(platform, token)) {
        throw unauthenticated('the control API requires the admin token of this server as a bearer token', 'control.token');
      }
      const sent = readParameters(schema(), await readRawParameters(context, maxBody));
      return jsonResponse(status, await handle(platform, sent, context));
    },
  };
}

function healthRoute(platform: Platform): Route {
  return {
    area: 'control',
    method: 'GET',
    path: '/_local/health',
    body: health,
    specRef: 'Local control',
    status: 'local',
    scopes: [],
    role: 'anyone',
    successStatus: 200,
    handle: (context) => showHealth(platform, context),
  };
}

/**
 * Returns the health of the server. Clients request it before they have a token, to identify the server. Without a token it returns only
 * that.
 */
async function showHealth(platform: Platform, context: RequestContext): Promise<HttpResponse> {
  refuseForeign(context);
  const token = bearerOf(context.headers.authorization);
  const { profile, store, instanceId, version, dataFolder } = platform;
  const { release, tier, offering, dialect } = profile;
  const damage = store.damage();
  const isKnown = token !== undefined && isAdminToken(platform, token);
  return jsonResponse(200, {
    status: damage === undefined ? 'ok' : 'damaged',
    instance_id: instanceId,
    version,
    ...(isKnown
      ? { pid: process.pid, release, tier, offering, dialect, damage: damage ?? null, data_folder: dataFolder ?? null }
      : {}),
  });
}

function clockState({ clock }: Core) {
  const { frozenAt, offset } = clock.state();
  return {
    now: isoTime(clock.now()),
    frozen: frozenAt !== null,
    offset_seconds: frozenAt === null ? offset / 1000 : (frozenAt - clock.systemNow()) / 1000,
  };
}

function moveClock(core: Core, { freeze_at, advance_seconds, reset }: ParametersOf<typeof clockParameters>) {
  const { clock } = core;
  const sent = [freeze_at, advance_seconds, reset].filter((value) => value !== undefined);
  if (sent.length !== 1) {
    throw invalidParameters(['freeze_at, advance_seconds, reset are missing, exactly one parameter must be provided']);
  }
  if (freeze_at !== undefined) {
    const at = freeze_at === 'now' ? clock.now() : parseTime(freeze_at);
    if (at === undefined || at < 0 || at > LATEST) throw invalidParameters(['freeze_at is invalid']);
    clock.freeze(at);
  } else if (advance_seconds !== undefined) {
    const target = clock.now() + advance_seconds * 1000;
    if (target < 0 || target > LATEST) throw invalidParameters(['advance_seconds is invalid']);
    clock.advance(advance_seconds * 1000);
  } else {
    if (reset !== 'true') throw invalidParameters(['reset is invalid']);
    clock.reset();
  }
  return clockState(core);
}

function changeProfile(platform: Platform, sent: ParametersOf<typeof profileParameters>) {
  const { profile, emulation } = platform;
  emulation.change({
    release: sent.release ?? profile.release,
    tier: sent.tier ?? profile.tier,
    offering: sent.offering ?? profile.offering,
    dialect: sent.dialect ?? profile.dialect,
  });
  return platform.profile;
}

function showFlow({ flows, clock }: OAuthCore, _params: unknown, { pathParameters }: RequestContext) {
  const flow = flows.get(pathParameters['id'] ?? '', clock.now());
  if (flow === undefined) throw notFound('Flow', 'no flow has this ID, or it was replaced by newer ones');
  return flow;
}

function createSignInLink(
  core: Core,
  { username, return_to: returnTo }: ParametersOf<typeof signInLinkParameters>,
  { baseUrl }: RequestContext,
) {
  const user = findUserByIdOrName(core, username);
  if (user === undefined) throw notFound('User');
  if (isBlocked(user)) throw forbidden(undefined, lockReason(user));
  const link = mintSignInLink(core, user, returnTo ?? '/');
  if (link === undefined) throw invalidParameters(['return_to is invalid']);
  return { url: `${baseUrl}${link.path}`, username: user.username, expires_at: isoTime(link.expiresAt) };
}

async function takeSnapshot(parts: Pick<Platform, 'snapshots'>, { name }: ParametersOf<typeof snapshotParameters>) {
  if (name !== undefined && (!isSnapshotName(name) || isAutomaticName(name))) throw invalidParameters(['name is invalid']);
  const snapshot = await snapshotsOf(parts).take(name);
  if (snapshot === 'taken') throw conflict('Name has already been taken');
  if (snapshot === 'damaged') throw storageFailed('damaged');
  return presentSnapshot(snapshot);
}

async function restore(platform: Platform, { name }: ParametersOf<typeof restoreParameters>, { bodyStream }: RequestContext) {
  if (!isSnapshotName(name)) throw invalidParameters(['name is invalid']);
  if (
    snapshotsOf(platform)
      .list()
      .every((snapshot) => snapshot.name !== name)
  )
    throw notFound('Snapshot');
  return replaced(replacementOf(platform).restore(name, bodyStream()));
}

async function reset(platform: Platform, { seed }: ParametersOf<typeof resetParameters>, { bodyStream }: RequestContext) {
  return replaced(replacementOf(platform).reset(seed ?? 'start', bodyStream()));
}

async function replaced(replacing: Promise<Replaced>) {
  try {
    const { instanceId, savedAs } = await replacing;
    return { instance_id: instanceId, saved_as: savedAs };
  } catch (error) {
    // The server has kept its data.
    if (error instanceof Fatal) throw unprocessable(`${error.message} ${error.hint}`);
    throw error;
  }
}

function replacementOf({ replacement }: Pick<Platform, 'replacement'>): Replacement {
  if (replacement === undefined) throw notFound('Process');
  return replacement;
}

async function applySentSeed(platform: Platform, { name, text }: ParametersOf<typeof seedParameters>) {
  if (Buffer.byteLength(text) > MAX_SEED_BYTES) throw tooLarge(MAX_SEED_BYTES);
  try {
    return await applySeed(platform, name ?? 'seed', text);
  } catch (error) {
    if (error instanceof SeedRefused) throw invalidRecord({ seed: error.validationErrors });
    throw error;
  }
}

function changePace(core: Core, { step_seconds: seconds }: ParametersOf<typeof paceParameters>) {
  if (seconds < 0 || seconds > MAX_STEP_SECONDS) throw invalidParameters(['step_seconds is invalid']);
  setStepSeconds(core, seconds);
  return { step_seconds: seconds };
}

function shutDown({ shutdown }: Pick<Platform, 'shutdown'>) {
  setImmediate(() => shutdown('requested through /_local/shutdown'));
  return { message: '202 Accepted' };
}

function snapshotsOf({ snapshots }: Pick<Platform, 'snapshots'>): Snapshots {
  if (snapshots === undefined) throw notFound('Snapshots');
  return snapshots;
}

function presentSnapshot({ name, size, createdAt }: Snapshot) {
  return { name, size, created_at: isoTime(createdAt) };
}

/** Latest time with a four-digit year, in milliseconds. */
const LATEST = 253_402_300_799_000;

function refuseForeign(context: RequestContext): void {
  if (isForeignOrigin(context, context.baseUrl)) {
    throw forbidden(undefined, 'pages of other sites must not control this server', 'origin');
  }
}
