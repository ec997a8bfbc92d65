import * as z from 'zod';
import type { SignInLink } from '../../src/contract/control.ts';
import { type Flow, flowGrants, flowOutcomes, type FlowStep, type FlowSummary } from '../../src/contract/oauthFlows.ts';
import { address, count, listOf, moment, named, readAs } from '../http/responses.ts';
import { logLevels } from '../core/log.ts';
import { dialects, offerings, tiers } from '../core/profile.ts';

const healthMembers = () => ({ status: z.enum(['ok', 'damaged']), instance_id: z.string(), version: z.string() });

/** Health of the server. The second form requires the admin token. */
export const health = named('Health', () =>
  z.union([
    z.strictObject(healthMembers()),
    z.strictObject({
      ...healthMembers(),
      pid: count(),
      release: z.string(),
      tier: z.enum(tiers),
      offering: z.enum(offerings),
      dialect: z.enum(dialects),
      damage: z.string().nullable(),
      data_folder: z.string().nullable(),
    }),
  ]),
);

/** The emulated platform. */
export const profileResponse = named('Profile', () =>
  z.strictObject({
    release: z.string(),
    tier: z.enum(tiers),
    offering: z.enum(offerings),
    dialect: z.enum(dialects),
  }),
);

export const clockResponse = named('Clock', () =>
  z.strictObject({ now: moment(), frozen: z.boolean(), offset_seconds: z.number() }),
);

const requestLogEntry = named('JournalEntry', () =>
  z.strictObject({
    id: z.string(),
    at: moment(),
    method: z.string(),
    path: z.string(),
    query: z.string(),
    route: z.string().nullable(),
    status: z.int(),
    milliseconds: z.number(),
    user: z.string().nullable(),
    sudo: z.string().nullable(),
    refusal: z.strictObject({ rule: z.string(), reason: z.string() }).nullable(),
  }),
);
export const requestLogResponse = listOf(requestLogEntry);

const logLine = named('LogLine', () => z.strictObject({ at: moment(), level: z.enum(logLevels), text: z.string() }));
export const logResponse = listOf(logLine);

export const signInLink = named('SignInLink', () =>
  readAs<SignInLink>()(z.strictObject({ url: address(), username: z.string(), expires_at: moment() })),
);

export const snapshotResponse = named('Snapshot', () =>
  z.strictObject({ name: z.string(), size: count(), created_at: moment() }),
);

/** Data that replaced that of the running server. */
export const replacedResponse = named('ReplacedData', () => z.strictObject({ instance_id: z.string(), saved_as: z.string() }));

export const storageUsageResponse = named('RepositoryStorage', () =>
  z.strictObject({
    name: z.string(),
    default: z.boolean(),
    weight: count(),
    projects: count(),
    snippets: count(),
    groups: count(),
    bytes: count(),
    moves: z.strictObject({
      initial: count(),
      scheduled: count(),
      started: count(),
      replicated: count(),
      finished: count(),
      failed: count(),
      'cleanup failed': count(),
    }),
  }),
);

export const movePace = named('RepositoryStorageMovePace', () => z.strictObject({ step_seconds: count() }));

const verdict = () => z.enum(['passed', 'waiting', 'refused']);

const flowMembers = () => ({
  id: z.string(),
  application: z.strictObject({ name: z.string(), client_id: z.string() }).nullable(),
  client_id: z.string().nullable(),
  grant: z.enum(flowGrants),
  person: z.string().nullable(),
  outcome: z.enum(flowOutcomes),
  reason: z.string().nullable(),
  requests: count(),
  started_at: moment(),
  updated_at: moment(),
  age_seconds: z.int(),
});

const flowStep = named('OAuthFlowStep', () =>
  readAs<FlowStep>()(
    z.strictObject({
      title: z.string(),
      method: z.string(),
      path: z.string(),
      status: z.int(),
      at: moment(),
      last_at: moment(),
      count: count(),
      intervals: z.tuple([z.number(), z.number()]).nullable(),
      verdict: verdict(),
      result: z.string(),
      parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      checks: z.array(z.strictObject({ verdict: verdict(), words: z.string() })),
      refusal: z.strictObject({ rule: z.string(), reason: z.string() }).nullable(),
      difference: z.strictObject({ sent: z.string(), expected: z.string(), at: z.int() }).nullable(),
      warnings: z.array(z.string()),
    }),
  ),
);

export const flowSummary = named('OAuthFlow', () => readAs<FlowSummary>()(z.strictObject(flowMembers())));

export const flowWithSteps = named('OAuthFlowWithSteps', () =>
  readAs<Flow>()(z.strictObject({ ...flowMembers(), steps: z.array(flowStep()), steps_left_out: count() })),
);
