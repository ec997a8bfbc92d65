/** Why a request of an SDK is refused; the reason is for the journal and for whoever set the SDK up. */
export class IngestRefusal extends Error {
  readonly status: number;
  readonly reason: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, reason: string, retryAfter?: number) {
    super(reason);
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
