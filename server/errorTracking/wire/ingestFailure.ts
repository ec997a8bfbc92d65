/**
 * What an SDK sent cannot be taken: the only error that the parsers throw. 400 it is not what it has to be, 413 it is larger than what
 * is taken, 415 its encoding is unknown. The words are for whoever set the SDK up: they go into the answer and into `X-Sentry-Error`,
 * so they are one line and repeat nothing of what was sent.
 */
export class IngestFailure extends Error {
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, text: string) {
    super(text);
    this.name = 'IngestFailure';
    this.status = status;
  }
}
