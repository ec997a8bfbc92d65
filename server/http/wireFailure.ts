import { type DomainError, isDomainError } from '../core/errors.ts';

interface Note {
  /** ID of the check that refused the request, for the request log. */
  readonly rule: string;
  /** Explains what was expected, for the request log. */
  readonly reason: string;
  /** Text for protocols that send plain text. By default, it is the body if that is a text. */
  readonly text?: string;
}

/** An error response whose status and body are those of one protocol, for errors that only this protocol has. */
export class WireFailure extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly rule: string;
  readonly reason: string;
  /** Text for protocols that send plain text; undefined if there is none. */
  readonly text: string | undefined;

  constructor(status: number, body: unknown, { rule, reason, text }: Note, headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${rule}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.rule = rule;
    this.reason = reason;
    this.text = text ?? (typeof body === 'string' ? body : undefined);
  }
}

/** Why a request is refused: an error of the rules, which each protocol reports in its own way, or a response of the protocol itself. */
export type Refusal = DomainError | WireFailure;

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof WireFailure || isDomainError(error);
}
