/** Reasons why a request of an SDK is refused, with the status of the response and, in `passes`, how to configure the SDK correctly. */
export const refusals = {
  no_project: { status: 404, passes: 'Use the DSN of an existing project.' },
  tracking_off: { status: 404, passes: 'Ask a maintainer to enable error tracking for the project.' },
  no_key: {
    status: 400,
    passes:
      'Send a client key of the project: sentry_key in the query, the header X-Sentry-Auth, or the DSN in the header of the envelope.',
  },
  unknown_key: { status: 404, passes: 'Copy the complete DSN of a client key of the project again.' },
  inactive_key: { status: 404, passes: 'Use an active client key of the project.' },
  foreign_key: { status: 404, passes: 'Use a client key of this project, or the ID of the project that the key belongs to.' },
  limit: {
    status: 429,
    passes:
      'Send fewer requests per minute, or increase the limit in the settings of the instance (error_tracking_requests_per_minute).',
  },
  malformed: {
    status: 400,
    passes:
      'Send an envelope: a header line, then a header line and a payload for each item, all in JSON. Or send one JSON event to the store endpoint.',
  },
  too_large: { status: 413, passes: 'Send a smaller event, with shorter texts or fewer attachments.' },
  encoding: { status: 415, passes: 'Send the body uncompressed, or compressed with gzip, deflate, br or zstd.' },
  method: { status: 405, passes: 'Use POST, with the event in the body.' },
  not_local: {
    status: 403,
    passes: 'Send the request to localhost or 127.0.0.1, from a program on this machine or from a page that this machine serves.',
  },
  database_unwritable: { status: 503, passes: 'Make the data folder of the server writable, and send the request again.' },
  busy: { status: 503, passes: 'Send the request again in a few seconds, when the server is less busy.' },
  database_full: { status: 503, passes: 'Free some disk space on the server, and send the request again.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly passes: string }>>;

export type RefusalCode = keyof typeof refusals;

/** Refusal of a request of an SDK. The reason goes to the request log and, unless the status is 404, into the response. */
export class IngestRefusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly reason: string;
  /** Value of the header `Retry-After`, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, reason: string, retryAfter?: number) {
    super(reason);
    this.code = code;
    this.status = refusals[code].status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
