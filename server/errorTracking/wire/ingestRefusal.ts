/** Why requests of SDKs are refused: with which status, and what would have passed, for whoever set the SDK up. */
export const refusals = {
  no_project: { status: 404, passes: 'A DSN of a project that is there.' },
  tracking_off: { status: 404, passes: 'The same request, once a maintainer has switched error tracking of the project on.' },
  no_key: {
    status: 400,
    passes:
      'A client key of the project: sentry_key in the query, the header X-Sentry-Auth, or the DSN in the header of the envelope.',
  },
  unknown_key: { status: 404, passes: 'A client key that the project has: take the DSN anew, as a whole.' },
  inactive_key: { status: 404, passes: 'Another client key of the project, which is active.' },
  foreign_key: { status: 404, passes: 'A client key of this project, or the number of the project that the key is of.' },
  limit: {
    status: 429,
    passes:
      'Fewer requests within a minute, or a higher limit in the settings of the instance (error_tracking_requests_per_minute).',
  },
  malformed: {
    status: 400,
    passes:
      'One line of JSON, then for each item a line of JSON with its type and its payload; or the JSON of one event to the store.',
  },
  too_large: { status: 413, passes: 'A smaller event, or less of it: shorter texts, fewer attachments.' },
  encoding: { status: 415, passes: 'A body that is not compressed, or in one way that is known: gzip, deflate, br or zstd.' },
  method: { status: 405, passes: 'POST.' },
  not_local: {
    status: 403,
    passes: 'A program of this machine, or a page that it serves, that sends to localhost or 127.0.0.1.',
  },
  database_unwritable: { status: 503, passes: 'The same request, once the data folder of the server can be written.' },
  busy: { status: 503, passes: 'The same request some seconds later, when the server reads fewer or smaller requests at once.' },
  database_full: { status: 503, passes: 'The same request, once there is room on the disk of the server.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly passes: string }>>;

export type RefusalCode = keyof typeof refusals;

/** Why a request of an SDK is refused; the reason is for the journal and for whoever set the SDK up. */
export class IngestRefusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly reason: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, reason: string, retryAfter?: number) {
    super(reason);
    this.code = code;
    this.status = refusals[code].status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
