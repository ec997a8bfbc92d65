import { appliedSeed } from '../seeds/seedResponse.ts';
import * as z from 'zod';
import { isSnapshotName } from '../../src/contract/control.ts';
import { isoTime, parseTime } from '../core/clock.ts';
import { accepted, type ResponseSchema, listOf } from '../http/responses.ts';
import { bearerOf } from '../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../http/requestContext.ts';
import { conflict, forbidden, invalidRecord, notFound } from '../core/errors.ts';
import { databaseDamaged, entityTooLarge, invalidParameters, unauthorized } from '../http/failures.ts';
import { MAX_STEP_SECONDS, setStepSeconds, stepSeconds, storageUsage } from '../features/storageMoves/storageMoves.ts';
import { isForeignOrigin } from '../http/hostGuard.ts';
import { readRawParameters } from '../http/input.ts';
import { integer, oneOf, opaque, type ParameterSet, readParameters, required, string } from '../http/params.ts';
import type { Method, Route } from '../http/route.ts';
import { lazy } from '../support/lazy.ts';
import { findUserByIdOrName, isAdminToken, isBlocked, mintSignInLink } from '../features/identity/identity.ts';
import type { Platform } from '../platform.ts';
import { dialects, offerings, releases, tiers } from '../core/profile.ts';
import { isAutomaticName, type Snapshot, type Snapshots } from '../snapshots/snapshots.ts';
import { MAX_SEED_BYTES, applySeed, SeedRefused } from '../seeds/seeds.ts';
import {
  clockResponse,
  flowSummary,
  flowWithSteps,
  health,
  requestLogResponse,
  signInLink,
  movePace,
  profileResponse,
  snapshotResponse,
  storageUsageResponse,
} from './responses.ts';

/** Control API of this server (docs/interface.md#local-control). Requires the admin token and a valid Host and Origin; never cross-origin. */
export function controlRoutes(platform: Platform): Route[] {
  const { clock } = platform;

  const clockState = () => {
    const state = clock.state();
    return {
      now: isoTime(clock.now()),
      frozen: state.frozenAt !== null,
      offset_seconds: state.frozenAt === null ? state.offset / 1000 : (state.frozenAt - clock.systemNow()) / 1000,
    };
  };

  return [
    {
      area: 'control',
      method: 'GET',
      path: '/_local/health',
      body: health,
      specRef: 'Local control',
      status: 'local',
      scopes: [],
      role: 'anyone',
      successStatus: 200,
      // Clients request the health before they have a token, to identify the server. Without a token it returns only that.
      handle: async (context) => {
        refuseForeign(context);
        const token = bearerOf(context.headers.authorization);
        const { profile } = platform;
        const known = token !== undefined && isAdminToken(platform, token);
        return jsonResponse(200, {
          status: platform.store.damage() === undefined ? 'ok' : 'damaged',
          instance_id: platform.instanceId,
          version: platform.version,
          ...(known
            ? {
                pid: process.pid,
                release: profile.release,
                tier: profile.tier,
                offering: profile.offering,
                dialect: profile.dialect,
                damage: platform.store.damage() ?? null,
              }
            : {}),
        });
      },
    },
    controlRoute(
      'GET',
      '/_local/clock',
      clockResponse,
      () => ({}),
      () => clockState(),
    ),
    controlRoute(
      'POST',
      '/_local/clock',
      clockResponse,
      () => ({ freeze_at: opaque(), advance_seconds: integer(), reset: opaque() }),
      ({ freeze_at, advance_seconds, reset }) => {
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
        return clockState();
      },
      200,
    ),
    controlRoute(
      'GET',
      '/_local/profile',
      profileResponse,
      () => ({}),
      () => platform.profile,
    ),
    controlRoute(
      'PUT',
      '/_local/profile',
      profileResponse,
      () => ({
        release: oneOf(releases)(),
        tier: oneOf(tiers)(),
        offering: oneOf(offerings)(),
        dialect: oneOf(dialects)(),
      }),
      ({ release, tier, offering, dialect }) => {
        const { profile, emulation } = platform;
        emulation.change({
          release: release ?? profile.release,
          tier: tier ?? profile.tier,
          offering: offering ?? profile.offering,
          dialect: dialect ?? profile.dialect,
        });
        return platform.profile;
      },
    ),
    controlRoute(
      'GET',
      '/_local/requests',
      requestLogResponse,
      () => ({ limit: integer() }),
      ({ limit }) => platform.requestLog.list(limit ?? 100),
    ),
    controlRoute(
      'GET',
      '/_local/oauth/flows',
      listOf(flowSummary),
      () => ({}),
      () => platform.flows.list(clock.now()),
    ),
    controlRoute(
      'GET',
      '/_local/oauth/flows/:id',
      flowWithSteps,
      () => ({}),
      (_params, { pathParameters }) => {
        const flow = platform.flows.get(pathParameters['id'] ?? '', clock.now());
        if (flow === undefined) throw notFound('Flow', 'no flow has this ID, or it was replaced by newer ones');
        return flow;
      },
    ),
    controlRoute(
      'POST',
      '/_local/sign-in-links',
      signInLink,
      () => ({ username: required(string), return_to: opaque() }),
      ({ username, return_to }, context) => {
        const user = findUserByIdOrName(platform, username);
        if (user === undefined) throw notFound('User');
        if (isBlocked(user)) throw forbidden(undefined, `the account is ${user.state}`);
        const link = mintSignInLink(platform, user, return_to ?? '/');
        if (link === undefined) throw invalidParameters(['return_to is invalid']);
        return { url: `${context.baseUrl}${link.path}`, username: user.username, expires_at: isoTime(link.expiresAt) };
      },
    ),
    controlRoute(
      'GET',
      '/_local/snapshots',
      listOf(snapshotResponse),
      () => ({}),
      () => snapshotsOf(platform).list().map(presentSnapshot),
    ),
    controlRoute(
      'POST',
      '/_local/snapshots',
      snapshotResponse,
      () => ({ name: opaque() }),
      async ({ name }) => {
        if (name !== undefined && (!isSnapshotName(name) || isAutomaticName(name))) throw invalidParameters(['name is invalid']);
        const snapshot = await snapshotsOf(platform).take(name);
        if (snapshot === 'taken') throw conflict('Name has already been taken');
        if (snapshot === 'damaged') throw databaseDamaged();
        return presentSnapshot(snapshot);
      },
    ),
    controlRoute(
      'POST',
      '/_local/seeds',
      appliedSeed,
      () => ({ name: opaque(), text: required(opaque) }),
      async ({ name, text }) => {
        if (Buffer.byteLength(text) > MAX_SEED_BYTES) throw entityTooLarge(MAX_SEED_BYTES);
        try {
          return await applySeed(platform, name ?? 'seed', text);
        } catch (error) {
          if (error instanceof SeedRefused) throw invalidRecord({ seed: error.validationErrors });
          throw error;
        }
      },
      201,
      // Every byte may be sent as an escape sequence.
      6 * MAX_SEED_BYTES + 10_000,
    ),
    controlRoute(
      'GET',
      '/_local/storages',
      listOf(storageUsageResponse),
      () => ({}),
      () => storageUsage(platform),
    ),
    controlRoute(
      'GET',
      '/_local/storage-moves',
      movePace,
      () => ({}),
      () => ({ step_seconds: stepSeconds(platform) }),
    ),
    controlRoute(
      'PUT',
      '/_local/storage-moves',
      movePace,
      () => ({ step_seconds: required(integer) }),
      ({ step_seconds: seconds }) => {
        if (seconds < 0 || seconds > MAX_STEP_SECONDS) throw invalidParameters(['step_seconds is invalid']);
        setStepSeconds(platform, seconds);
        return { step_seconds: seconds };
      },
    ),
    controlRoute(
      'POST',
      '/_local/shutdown',
      accepted,
      () => ({}),
      () => {
        setImmediate(() => platform.shutdown('requested through /_local/shutdown'));
        return { message: '202 Accepted' };
      },
      202,
    ),
  ];

  function controlRoute<Shape extends ParameterSet>(
    method: Method,
    path: string,
    body: ResponseSchema,
    params: () => Shape,
    handle: (params: z.output<z.ZodObject<Shape>>, context: RequestContext) => unknown,
    status = method === 'POST' ? 201 : 200,
    maxBody?: number,
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
          throw unauthorized('the control API requires the admin token of this server as a bearer token', 'control.token');
        }
        const result = await handle(readParameters(schema(), await readRawParameters(context, maxBody)), context);
        return jsonResponse(status, result);
      },
    };
  }
}

function snapshotsOf({ snapshots }: Platform): Snapshots {
  if (snapshots === undefined) throw notFound('Data folder');
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
