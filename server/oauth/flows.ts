import { randomBytes } from 'node:crypto';
import type { Flow, FlowGrant, FlowOutcome, FlowStep, FlowSummary } from '../../src/contract/oauthFlows.ts';
import { isoTime, SECOND } from '../clock.ts';

/** A row of the store by which a request is known to belong to a flow, such as `device:7`; before there is one, whose request it is. */
export type FlowKey = `${'code' | 'device' | 'family' | 'request'}:${string}`;

/** A step as it is seen; the flow adds how often it came. */
export type SeenStep = Omit<FlowStep, 'at' | 'last_at' | 'count' | 'intervals'>;

/** What a request tells about its flow; what is left out stays as it is. */
export interface Seen {
  /** Of the platform's clock. */
  readonly at: number;
  readonly keys: readonly FlowKey[];
  /** By which it was known until now, and is not any longer. */
  readonly formerKeys?: readonly FlowKey[];
  readonly application: FlowSummary['application'];
  readonly clientId: string | null;
  readonly grant: FlowGrant;
  readonly person?: string | undefined;
  readonly outcome?: FlowOutcome | undefined;
  /** When what the flow waits for is no longer good. */
  readonly expiresAt?: number | undefined;
  /** The first access token of it: its number. */
  readonly tokenId?: number | undefined;
  readonly step: SeenStep;
}

/** The latest flows, in memory only: what OAuth clients did, request by request. */
export interface Flows {
  /** What is known of the flow of one of these. */
  readonly find: (keys: readonly FlowKey[]) => { readonly person: string | null } | undefined;
  /**
   * A client polls once more and waits, as before. True when nothing else is to be written down: the poll is counted, or its flow is no
   * longer kept, and a poll does not begin one, or a thousand devices that wait would push everything else out.
   */
  readonly recordWait: (key: FlowKey, at: number) => boolean;
  /** Adds a step to the flow of its keys, or begins one. */
  readonly add: (seen: Seen) => void;
  /** An access token was used at the API; only the first time is written down. */
  readonly recordUse: (tokenId: number, method: string, path: string, at: number) => void;
  /** Newest first. */
  readonly list: (now: number) => readonly FlowSummary[];
  readonly get: (id: string, now: number) => Flow | undefined;
}

/** Title of a request of a client that waits for a person. */
export const POLL = 'Poll';

const MAX_FLOWS = 100;
/** Of a longer flow the first steps and the latest ones are kept. */
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
  leftOut: number;
  requests: number;
  updatedAt: number;
}

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
      leftOut: 0,
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

  /** A client that sends the same bad request over and over again must not push everything else out. */
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
      const result = 'The API accepted the access token for the first time.';
      const rest = { status: 0, verdict: 'passed', parameters: [], checks: [], refusal: null, difference: null } as const;
      addStep(flow, { title: 'First API request', method, path, result, ...rest }, at);
    },
    list: (now) => flows.map((flow) => summaryOf(flow, now)).reverse(),
    get: (id, now) => {
      const flow = flows.find((known) => known.id === id);
      return flow === undefined
        ? undefined
        : { ...summaryOf(flow, now), steps: flow.steps.map(presentStep), steps_left_out: flow.leftOut };
    },
  };
}

function addStep(flow: OpenFlow, step: SeenStep, at: number): void {
  flow.requests += 1;
  const last = flow.steps.at(-1);
  if (last !== undefined && isRepeated(last, step)) {
    // What the latest one was told, such as a longer interval, is what counts.
    Object.assign(last, step);
    repeat(last, at);
    return;
  }
  flow.steps.push({ ...step, at, lastAt: at, count: 1, intervals: null });
  if (flow.steps.length > MAX_STEPS) {
    flow.steps.splice(FIRST_STEPS, 1);
    flow.leftOut += 1;
  }
}

function repeat(last: OpenStep, at: number): void {
  const pause = Math.round((at - last.lastAt) / (SECOND / 10)) / 10;
  const [shortest, longest] = last.intervals ?? [pause, pause];
  last.lastAt = at;
  last.count += 1;
  last.intervals = [Math.min(shortest, pause), Math.max(longest, pause)];
}

/** Whether a client did the same again and was told the same. */
function isRepeated(last: SeenStep, next: SeenStep): boolean {
  const isSame =
    last.title === next.title &&
    last.path === next.path &&
    last.status === next.status &&
    last.verdict === next.verdict &&
    last.refusal?.rule === next.refusal?.rule;
  // The refusal of a poll that comes too early tells the interval, which grows.
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
