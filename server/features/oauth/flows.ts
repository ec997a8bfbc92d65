import { randomBytes } from 'node:crypto';
import type { Flow, FlowGrant, FlowOutcome, FlowStep, FlowSummary } from '../../../src/contract/oauthFlows.ts';
import { isoTime, SECOND } from '../../core/clock.ts';
import { maskPathTokens } from '../../core/masking.ts';

/** Key that assigns a request to a flow: a database row such as `device:7`, or the request itself before there is a row. */
export type FlowKey = `${'code' | 'device' | 'family' | 'request'}:${string}`;

/** Step without its times and repetitions, which the flow adds. */
export type SeenStep = Omit<FlowStep, 'at' | 'last_at' | 'count' | 'intervals'>;

/** Data of a request for its flow. Omitted members remain unchanged. */
export interface Seen {
  /** Time of the server clock, in milliseconds. */
  readonly at: number;
  readonly keys: readonly FlowKey[];
  /** Keys that no longer identify the flow. */
  readonly formerKeys?: readonly FlowKey[];
  readonly application: FlowSummary['application'];
  readonly clientId: string | null;
  readonly grant: FlowGrant;
  readonly person?: string | undefined;
  readonly outcome?: FlowOutcome | undefined;
  /** Expiry of what the flow is waiting for. */
  readonly expiresAt?: number | undefined;
  /** Number of the first access token of the flow. */
  readonly tokenId?: number | undefined;
  readonly step: SeenStep;
}

/** Latest OAuth flows with their requests, in memory only. */
export interface Flows {
  /** Returns the flow of the first known key. */
  readonly find: (keys: readonly FlowKey[]) => { readonly person: string | null } | undefined;
  /**
   * Counts another poll of a waiting client. Returns true if there is nothing else to record: the poll was counted, or its flow is no longer
   * stored. Polls do not start flows, because waiting devices would displace all other flows.
   */
  readonly recordWait: (key: FlowKey, at: number) => boolean;
  /** Adds a step to the flow of its keys, or starts a new flow. */
  readonly add: (seen: Seen) => void;
  /** Records the first use of an access token at the API. */
  readonly recordUse: (tokenId: number, method: string, path: string, at: number) => void;
  /** Returns the flows, newest first. */
  readonly list: (now: number) => readonly FlowSummary[];
  readonly get: (id: string, now: number) => Flow | undefined;
}

/** Title of the polls of a client that waits for a user. */
export const POLL = 'Poll';

const MAX_FLOWS = 100;
/** Maximum number of stored steps of a flow: the first ones and the latest ones. */
const MAX_STEPS = 40;
const FIRST_STEPS = 10;

interface OpenStep extends SeenStep {
  readonly at: number;
  lastAt: number;
  count: number;
  intervals: readonly [number, number] | null;
}

interface OpenFlow {
  readonly id: string;
  readonly startedAt: number;
  readonly keys: Set<FlowKey>;
  readonly steps: OpenStep[];
  application: FlowSummary['application'];
  clientId: string | null;
  readonly grant: FlowGrant;
  person: string | null;
  outcome: FlowOutcome;
  expiresAt: number | undefined;
  tokenId: number | undefined;
  omittedSteps: number;
  requests: number;
  updatedAt: number;
}

const firstUse = {
  title: 'First API request',
  status: 0,
  verdict: 'passed',
  result: 'The API accepted the access token for the first time.',
  parameters: [],
  checks: [],
  refusal: null,
  difference: null,
  warnings: [],
} as const;

export function createFlows(): Flows {
  let flows: readonly OpenFlow[] = [];
  const byKey = new Map<FlowKey, OpenFlow>();
  const unused = new Map<number, OpenFlow>();

  function flowOf(keys: readonly FlowKey[]): OpenFlow | undefined {
    for (const key of keys) {
      const flow = byKey.get(key);
      if (flow !== undefined) return flow;
    }
    return undefined;
  }

  function begin(seen: Seen): OpenFlow {
    const flow: OpenFlow = {
      id: randomBytes(4).toString('hex'),
      startedAt: seen.at,
      keys: new Set(),
      steps: [],
      application: null,
      clientId: null,
      grant: seen.grant,
      person: null,
      outcome: 'waiting',
      expiresAt: undefined,
      tokenId: undefined,
      omittedSteps: 0,
      requests: 0,
      updatedAt: seen.at,
    };
    const [oldest] = flows;
    if (oldest !== undefined && flows.length >= MAX_FLOWS) {
      for (const key of oldest.keys) if (byKey.get(key) === oldest) byKey.delete(key);
      if (oldest.tokenId !== undefined) unused.delete(oldest.tokenId);
      flows = flows.slice(1);
    }
    flows = [...flows, flow];
    return flow;
  }

  /** Returns the latest flow if it consists of the same refused request, so that a repeated invalid request does not displace all other flows. */
  function sameRefusal(seen: Seen): OpenFlow | undefined {
    const last = flows.at(-1);
    const [step] = last?.steps ?? [];
    const isAlike =
      last?.steps.length === 1 &&
      last.keys.size === 0 &&
      last.clientId === seen.clientId &&
      step !== undefined &&
      isRepeated(step, seen.step);
    return isAlike && seen.keys.length === 0 && (seen.formerKeys ?? []).length === 0 ? last : undefined;
  }

  function summaryOf(flow: OpenFlow, now: number): FlowSummary {
    const isLate = flow.outcome === 'waiting' && flow.expiresAt !== undefined && flow.expiresAt <= now;
    return {
      id: flow.id,
      application: flow.application,
      client_id: flow.clientId,
      grant: flow.grant,
      person: flow.person,
      outcome: isLate ? 'expired' : flow.outcome,
      reason: flow.steps.at(-1)?.refusal?.reason ?? null,
      requests: flow.requests,
      started_at: isoTime(flow.startedAt),
      updated_at: isoTime(flow.updatedAt),
      age_seconds: Math.max(Math.floor((now - flow.startedAt) / SECOND), 0),
    };
  }

  return {
    find: flowOf,
    recordWait: (key, at) => {
      const flow = byKey.get(key);
      if (flow === undefined) return true;
      const last = flow.steps.at(-1);
      if (last?.title !== POLL || last.verdict !== 'waiting') return false;
      flow.requests += 1;
      flow.updatedAt = at;
      repeat(last, at);
      return true;
    },
    add: (seen) => {
      const { keys, formerKeys = [] } = seen;
      const flow = flowOf(keys) ?? flowOf(formerKeys) ?? sameRefusal(seen) ?? begin(seen);
      for (const key of keys) {
        flow.keys.add(key);
        byKey.set(key, flow);
      }
      for (const key of formerKeys) byKey.delete(key);
      flow.application ??= seen.application;
      flow.clientId ??= seen.clientId;
      flow.person = seen.person ?? flow.person;
      flow.outcome = seen.outcome ?? flow.outcome;
      flow.expiresAt = seen.expiresAt ?? flow.expiresAt;
      flow.updatedAt = seen.at;
      if (seen.tokenId !== undefined && flow.tokenId === undefined) {
        flow.tokenId = seen.tokenId;
        unused.set(seen.tokenId, flow);
      }
      addStep(flow, seen.step, seen.at);
    },
    recordUse: (tokenId, method, path, at) => {
      const flow = unused.get(tokenId);
      if (flow === undefined) return;
      unused.delete(tokenId);
      flow.updatedAt = at;
      addStep(flow, { ...firstUse, method, path: maskPathTokens(path) }, at);
    },
    list: (now) => flows.map((flow) => summaryOf(flow, now)).reverse(),
    get: (id, now) => {
      const flow = flows.find((known) => known.id === id);
      return flow === undefined
        ? undefined
        : { ...summaryOf(flow, now), steps: flow.steps.map(presentStep), steps_left_out: flow.omittedSteps };
    },
  };
}

function addStep(flow: OpenFlow, step: SeenStep, at: number): void {
  flow.requests += 1;
  const last = flow.steps.at(-1);
  if (last !== undefined && isRepeated(last, step)) {
    // The latest response replaces earlier ones, for example with a longer interval.
    Object.assign(last, step);
    repeat(last, at);
    return;
  }
  flow.steps.push({ ...step, at, lastAt: at, count: 1, intervals: null });
  if (flow.steps.length > MAX_STEPS) {
    flow.steps.splice(FIRST_STEPS, 1);
    flow.omittedSteps += 1;
  }
}

function repeat(last: OpenStep, at: number): void {
  const pause = Math.round((at - last.lastAt) / (SECOND / 10)) / 10;
  const [shortest, longest] = last.intervals ?? [pause, pause];
  last.lastAt = at;
  last.count += 1;
  last.intervals = [Math.min(shortest, pause), Math.max(longest, pause)];
}

/** Returns true if a request and its result are repeated. */
function isRepeated(last: SeenStep, next: SeenStep): boolean {
  const isSame =
    last.title === next.title &&
    last.path === next.path &&
    last.status === next.status &&
    last.verdict === next.verdict &&
    last.refusal?.rule === next.refusal?.rule;
  // The refusals of early polls differ by the interval, which grows.
  return isSame && (next.title === POLL || isSameContent(last, next));
}

function isSameContent(one: SeenStep, other: SeenStep): boolean {
  return (
    one.result === other.result &&
    one.refusal?.reason === other.refusal?.reason &&
    one.parameters.length === other.parameters.length &&
    one.parameters.every(({ name, value }, at) => name === other.parameters[at]?.name && value === other.parameters[at].value)
  );
}

function presentStep({ lastAt, ...step }: OpenStep): FlowStep {
  return { ...step, at: isoTime(step.at), last_at: isoTime(lastAt) };
}
