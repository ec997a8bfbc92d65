/**
 * Data of an SDK that cannot be accepted; the only error that the parsers throw. 400 if it is malformed, 413 if it is too large,
 * 415 if its encoding is unknown. The text is for the person who configures the SDK: it is sent in the response and in
 * `X-Sentry-Error`, so it is one line and repeats nothing of the data.
 */
export class IngestFailure extends Error {
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, text: string) {
    super(text);
    this.name = 'IngestFailure';
    this.status = status;
  }
}
