import { integerMember, isJsonObject, type JsonObject, stringMember } from './json.ts';

/** How a client gets its tokens; `refresh_token` where only renewals and uses of a sign-in have been seen, not its beginning. */
export const flowGrants = [
  'authorization_code',
  'authorization_code_pkce',
  'device_code',
  'password',
  'client_credentials',
  'refresh_token',
  'unknown',
] as const;
export type FlowGrant = (typeof flowGrants)[number];

/** How a flow stands so far. `revoked`: the client has ended it. */
export const flowOutcomes = ['waiting', 'completed', 'refused', 'expired', 'denied', 'revoked'] as const;
export type FlowOutcome = (typeof flowOutcomes)[number];

/** One way of a client to its tokens, as the local server has seen it. No member holds a secret or a hash of one. */
export interface FlowSummary {
  readonly id: string;
  /** Null where no application could be told. */
  readonly application: { readonly name: string; readonly client_id: string } | null;
  /** What was sent as client id, shortened where no application has it; null where none was sent. */
  readonly client_id: string | null;
  readonly grant: FlowGrant;
  /** Username of whom it is for, once that is known. */
  readonly person: string | null;
  readonly outcome: FlowOutcome;
  /** Why the latest request was refused; null when it was not. */
  readonly reason: string | null;
  /** How many there have been; another number means other steps. */
  readonly requests: number;
  readonly started_at: string;
  readonly updated_at: string;
  /** Since its start, by the server's clock, which may stand in another year than the reader's. */
  readonly age_seconds: number;
}

export interface Flow extends FlowSummary {
  readonly steps: readonly FlowStep[];
  /** How many steps after the first ones are no longer kept. */
  readonly steps_left_out: number;
}

/** What a check said; `waiting` is none of the client's making. */
export type FlowVerdict = 'passed' | 'waiting' | 'refused';

/** One request of a flow, or several in a row that were the same. */
export interface FlowStep {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly at: string;
  /** Of the latest request, and how many there were. */
  readonly last_at: string;
  readonly count: number;
  /** Shortest and longest time between two of them, in seconds; null where there was one. */
  readonly intervals: readonly [shortest: number, longest: number] | null;
  readonly verdict: FlowVerdict;
  /** What was done, in a sentence. */
  readonly result: string;
  /** What was sent: values where they are no secrets, else their shapes. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  /** In the order in which they were made; those behind a refusal were not made. */
  readonly checks: readonly { readonly verdict: FlowVerdict; readonly words: string }[];
  /** The rule that refused and what would have passed, in the words of the journal. */
  readonly refusal: { readonly rule: string; readonly reason: string } | null;
  /** Two texts that should be the same, and the number of the first character in which they differ, from 1. */
  readonly difference: { readonly sent: string; readonly expected: string; readonly at: number } | null;
}

/** An element of `GET /_local/oauth/flows`. */
export function readFlowSummary(value: unknown): FlowSummary | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = stringMember(value, 'id');
  const grant = flowGrants.find((known) => known === value['grant']);
  const outcome = flowOutcomes.find((known) => known === value['outcome']);
  const startedAt = stringMember(value, 'started_at');
  const updatedAt = stringMember(value, 'updated_at');
  if (id === undefined || grant === undefined || outcome === undefined || startedAt === undefined || updatedAt === undefined)
    return undefined;
  return {
    id,
    grant,
    outcome,
    application: readApplication(value['application']),
    client_id: stringMember(value, 'client_id') ?? null,
    person: stringMember(value, 'person') ?? null,
    reason: stringMember(value, 'reason') ?? null,
    requests: integerMember(value, 'requests') ?? 0,
    started_at: startedAt,
    updated_at: updatedAt,
    age_seconds: integerMember(value, 'age_seconds') ?? 0,
  };
}

/** Answer of `GET /_local/oauth/flows/:id`. */
export function readFlow(value: unknown): Flow | undefined {
  const summary = readFlowSummary(value);
  if (summary === undefined || !isJsonObject(value)) return undefined;
  const steps = elementsOf(value, 'steps').map((step) => readStep(step));
  return {
    ...summary,
    steps: steps.filter((step) => step !== undefined),
    steps_left_out: integerMember(value, 'steps_left_out') ?? 0,
  };
}

function readApplication(value: unknown): FlowSummary['application'] {
  if (!isJsonObject(value)) return null;
  const name = stringMember(value, 'name');
  const clientId = stringMember(value, 'client_id');
  return name === undefined || clientId === undefined ? null : { name, client_id: clientId };
}

function readStep(value: unknown): FlowStep | undefined {
  if (!isJsonObject(value)) return undefined;
  const title = stringMember(value, 'title');
  const verdict = readVerdict(value);
  const at = stringMember(value, 'at');
  if (title === undefined || verdict === undefined || at === undefined) return undefined;
  const { refusal, difference } = value;
  return {
    title,
    verdict,
    at,
    last_at: stringMember(value, 'last_at') ?? at,
    method: stringMember(value, 'method') ?? '',
    path: stringMember(value, 'path') ?? '',
    status: integerMember(value, 'status') ?? 0,
    count: integerMember(value, 'count') ?? 1,
    intervals: readIntervals(value['intervals']),
    result: stringMember(value, 'result') ?? '',
    parameters: elementsOf(value, 'parameters').flatMap((parameter) => {
      const name = isJsonObject(parameter) ? stringMember(parameter, 'name') : undefined;
      return name === undefined || !isJsonObject(parameter) ? [] : [{ name, value: stringMember(parameter, 'value') ?? '' }];
    }),
    checks: elementsOf(value, 'checks').flatMap((check) => {
      const text = isJsonObject(check) ? stringMember(check, 'words') : undefined;
      const said = isJsonObject(check) ? readVerdict(check) : undefined;
      return text === undefined || said === undefined ? [] : [{ verdict: said, words: text }];
    }),
    refusal: isJsonObject(refusal)
      ? { rule: stringMember(refusal, 'rule') ?? '', reason: stringMember(refusal, 'reason') ?? '' }
      : null,
    difference: isJsonObject(difference)
      ? {
          sent: stringMember(difference, 'sent') ?? '',
          expected: stringMember(difference, 'expected') ?? '',
          at: integerMember(difference, 'at') ?? 1,
        }
      : null,
  };
}

function readVerdict(value: JsonObject): FlowVerdict | undefined {
  const { verdict } = value;
  return verdict === 'passed' || verdict === 'waiting' || verdict === 'refused' ? verdict : undefined;
}

function readIntervals(value: unknown): FlowStep['intervals'] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const [shortest, longest] = list;
  return typeof shortest === 'number' && typeof longest === 'number' ? [shortest, longest] : null;
}

function elementsOf(value: JsonObject, name: string): readonly unknown[] {
  const list: unknown = value[name];
  return Array.isArray(list) ? list : [];
}
