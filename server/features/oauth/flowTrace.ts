import type { FlowStep } from '../../../src/contract/oauthFlows.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { CodeRow, DeviceGrantRow, TokenRow } from './store.ts';

export type SentParameter = readonly [name: string, value: string];

/** Rows of the store that belong to a request. */
export interface FlowRows {
  readonly code?: CodeRow | undefined;
  readonly device?: DeviceGrantRow | undefined;
  readonly token?: TokenRow | undefined;
}

/** Refusal as recorded: the rule that refused the request, and the reason. */
export interface RecordedRefusal {
  readonly rule: string;
  readonly reason: string;
}

/** Findings of the handlers of a request, which become a step of its recorded flow. */
export class FlowTrace {
  /** Sent parameters, including repeated ones. */
  parameters: readonly SentParameter[] = [];
  /** Rows that the request created. */
  issued: FlowRows = {};
  /** Reason of a refusal, if the one in the request log contains hashes of secrets. */
  reason: string | undefined;
  /** Refused redirect URI, and the ones it was compared with. */
  refusedRedirect: { readonly uri: string; readonly expected: readonly string[] } | undefined;
  /** True if the user denied the request on a page. */
  isDenied = false;
  /** True if the browser leaves the authorization endpoint, so that its request no longer identifies the flow. */
  isSentBack = false;

  private readonly results: string[] = [];
  private readonly passedChecks: string[] = [];
  private current: string | undefined;

  /** Result of the request, in sentences. */
  get result(): string {
    return this.results.join(' ');
  }

  /** Returns true if a parameter was sent with a value. */
  hasSent(name: string): boolean {
    return this.parameters.some(([sent, value]) => sent === name && value !== '');
  }

  /** Adds a sentence about the result of the request. */
  record(sentence: string): void {
    this.results.push(sentence);
  }

  /**
   * Announces the condition that is checked next. It has passed if another one is announced or the request succeeds. Announcing an earlier
   * condition again withdraws the later ones, so that the list ends with the condition that refused the request.
   */
  check(condition: string): void {
    this.endChecks();
    const at = this.passedChecks.indexOf(condition);
    if (at >= 0) this.passedChecks.splice(at);
    this.current = condition;
  }

  /** Replaces the announced condition by a more precise one, after it has passed. */
  passed(condition: string): void {
    this.current = undefined;
    this.passedChecks.push(condition);
  }

  /** Withdraws the announced condition, because it does not apply to the request. */
  skipCheck(): void {
    this.current = undefined;
  }

  /** Ends the announced condition. A refusal without an announced condition is listed by its reason alone. */
  endChecks(): void {
    if (this.current !== undefined) this.passedChecks.push(this.current);
    this.current = undefined;
  }

  /** Withdraws all conditions, if none of them is the reason of a refusal. */
  withdrawChecks(): void {
    this.passedChecks.length = 0;
    this.current = undefined;
  }

  /** Returns the checks of the request up to the one that refused it. */
  checks(refusal: RecordedRefusal | null): FlowStep['checks'] {
    const passed = this.passedChecks.map((words) => ({ verdict: 'passed' as const, words }));
    if (refusal === null) return this.current === undefined ? passed : [...passed, { verdict: 'passed', words: this.current }];
    if (this.current === undefined) return [{ verdict: 'refused', words: refusal.reason }];
    return [...passed, { verdict: isWaiting(refusal.rule) ? 'waiting' : 'refused', words: this.current }];
  }
}

/** Returns true if a rule does not refuse the client, but makes it wait. */
export function isWaiting(rule: string): boolean {
  return rule === 'device.pending';
}

const traces = new WeakMap<RequestContext, FlowTrace>();

/** Starts the trace of a request. */
export function startTrace(context: RequestContext): FlowTrace {
  const trace = new FlowTrace();
  traces.set(context, trace);
  return trace;
}

/** Returns the trace of a request. That of a request without a recorder is dropped. */
export function traceOf(context: RequestContext): FlowTrace {
  return traces.get(context) ?? startTrace(context);
}
