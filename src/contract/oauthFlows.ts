import { integerMember, isJsonObject, type JsonObject, stringMember } from './json.ts';

/** Grants of a flow. `refresh_token` means that only renewals and uses of the sign-in were recorded, not its start. */
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

/** Results of a flow so far. `revoked`: the client ended it by revoking its tokens. */
export const flowOutcomes = ['waiting', 'completed', 'refused', 'expired', 'denied', 'revoked'] as const;
export type FlowOutcome = (typeof flowOutcomes)[number];

/** Sign-in of an OAuth client, as recorded by the local server. No member contains a secret or a hash of one. */
export interface FlowSummary {
  readonly id: string;
  /** Null if the application is unknown. */
  readonly application: { readonly name: string; readonly client_id: string } | null;
  /** Client ID that was sent, shortened if no application has it; null if none was sent. */
  readonly client_id: string | null;
  readonly grant: FlowGrant;
  /** Username of the user who signs in; null until it is known. */
  readonly person: string | null;
  readonly outcome: FlowOutcome;
  /** Reason why the latest request was refused; null if it was not. */
  readonly reason: string | null;
  /** Number of requests so far. If it changes, the steps have changed. */
  readonly requests: number;
  readonly started_at: string;
  readonly updated_at: string;
  /** Seconds since the start by the server's clock, which may differ from the client's clock by years. */
  readonly age_seconds: number;
}

export interface Flow extends FlowSummary {
  readonly steps: readonly FlowStep[];
  /** Number of steps that are no longer stored. They come after the first stored ones. */
  readonly steps_left_out: number;
}

/** Result of a check. `waiting` is not an error of the client. */
export type FlowVerdict = 'passed' | 'waiting' | 'refused';

/** Request of a flow, or several identical requests in a row. */
export interface FlowStep {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly at: string;
  /** Time of the latest request. */
  readonly last_at: string;
  /** Number of requests. */
  readonly count: number;
  /** Shortest and longest time between two requests in seconds; null for a single request. */
  readonly intervals: readonly [shortest: number, longest: number] | null;
  readonly verdict: FlowVerdict;
  /** Result of the request, as a sentence. */
  readonly result: string;
  /** Parameters that were sent. Secret values are replaced by a description of their format. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  /** Checks in the order in which they were made. Checks after a refusal were not made. */
  readonly checks: readonly { readonly verdict: FlowVerdict; readonly words: string }[];
  /** Rule that refused the request, and the reason as in the request log. */
  readonly refusal: { readonly rule: string; readonly reason: string } | null;
  /** Two texts that should be equal, and the 1-based position of the first different character. */
  readonly difference: { readonly sent: string; readonly expected: string; readonly at: number } | null;
  /** Recommendations for the client. The request was not refused for them. */
  readonly warnings: readonly string[];
}

/** Reads an element of `GET /_local/oauth/flows`. */
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

/** Reads a response of `GET /_local/oauth/flows/:id`. */
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
      const verdict = isJsonObject(check) ? readVerdict(check) : undefined;
      return text === undefined || verdict === undefined ? [] : [{ verdict, words: text }];
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
    warnings: elementsOf(value, 'warnings').filter((warning) => typeof warning === 'string'),
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
