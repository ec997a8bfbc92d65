// Errors of the rules of features. They know nothing of HTTP: each interface (REST, GraphQL, OAuth, pages, git, seed files) decides how it
// reports them.

interface Explanation {
  /** ID of the rule that refused, for the request log. */
  readonly rule: string;
  /** Explains what was expected, for the request log. */
  readonly reason: string;
}

/** A rule refused something. */
abstract class RuleError extends Error {
  readonly rule: string;
  readonly reason: string;

  constructor({ rule, reason }: Explanation) {
    super(reason);
    this.rule = rule;
    this.reason = reason;
  }
}

/** A resource does not exist or is not visible to the caller. */
export class NotFound extends RuleError {
  /** Name of the resource, such as `Project`; undefined for a resource without its own name in error messages. */
  readonly resource: string | undefined;
  /** True if the resource was looked up by an id or iid inside another one. */
  readonly isRecord: boolean;

  constructor(resource: string | undefined, isRecord: boolean, explanation: Explanation) {
    super(explanation);
    this.resource = resource;
    this.isRecord = isRecord;
  }
}

/** The caller lacks a permission. */
export class Forbidden extends RuleError {
  /** Text for the caller. */
  readonly detail: string | undefined;
  /** True if `detail` is the whole message. */
  readonly isWhole: boolean;

  constructor(detail: string | undefined, isWhole: boolean, explanation: Explanation) {
    super(explanation);
    this.detail = detail;
    this.isWhole = isWhole;
  }
}

/** The request has no credential, or one that is not valid. */
export class Unauthenticated extends RuleError {}

/** A token has expired or was revoked. */
export class InvalidToken extends Unauthenticated {
  /** Text for the caller. */
  readonly description: string;

  constructor(description: string, explanation: Explanation) {
    super(explanation);
    this.description = description;
  }
}

/** A token is valid, but has none of the scopes that are accepted. */
export class InsufficientScope extends RuleError {
  readonly accepted: readonly string[];

  constructor(accepted: readonly string[], explanation: Explanation) {
    super(explanation);
    this.accepted = accepted;
  }
}

/** The caller lacks a permission, which GitLab reports in these places like a missing credential. */
export class Unauthorized extends RuleError {}

/** Parameters of a request are missing, contradict each other, or have values that are not accepted. */
export class InvalidParameters extends RuleError {
  /** Texts for the caller, one for each error. */
  readonly texts: readonly string[];

  constructor(texts: readonly string[], explanation: Explanation) {
    super(explanation);
    this.texts = texts;
  }
}

/** The content of a request cannot be read. */
export class Unreadable extends RuleError {}

/** The content of a request is larger than is accepted. */
export class TooLarge extends RuleError {}

/** The server can neither read nor write a kind of content. */
export class Unsupported extends RuleError {
  /** `sent`: the type of what the request sends. `requested`: the format of what it asks for. */
  readonly content: 'sent' | 'requested';
  /** The type or format, as the request names it. */
  readonly type: string;

  constructor(content: Unsupported['content'], type: string, explanation: Explanation) {
    super(explanation);
    this.content = content;
    this.type = type;
  }
}

/** Values of a record are not valid. */
export class Invalid extends RuleError {
  /** Errors by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** True for a record whose errors GitLab reports like an incomplete change. */
  readonly isUnprocessable: boolean;

  constructor(fields: Readonly<Record<string, readonly string[]>>, explanation: Explanation, isUnprocessable = false) {
    super(explanation);
    this.fields = fields;
    this.isUnprocessable = isUnprocessable;
  }
}

/** The current state of a resource does not allow a change. */
export class Refused extends RuleError {
  /** Text for the caller, or several. */
  readonly text: string | readonly string[];
  /**
   * `change`: the resource rejects the change. `conflict`: another resource is in the way. `incomplete`: the change lacks something.
   * `state`: the resource is not in the state that the change needs. `request`: the request asks for something impossible. `missing`: it
   * asks for something that this server does not have.
   */
  readonly kind: 'change' | 'conflict' | 'incomplete' | 'state' | 'request' | 'missing';

  constructor(kind: Refused['kind'], text: string | readonly string[], explanation: Explanation) {
    super(explanation);
    this.kind = kind;
    this.text = text;
  }
}

/** A repository cannot be written to while it is moved to another storage (docs/interface.md#repository-storage-moves). */
export class ReadOnly extends RuleError {}

/** A program or file that the server needs is missing. The text says how to fix it. */
export class Unavailable extends RuleError {
  readonly text: string;

  constructor(text: string, explanation: Explanation) {
    super(explanation);
    this.text = text;
  }
}

/** The server has more to do at once than it has room for. */
export class Overloaded extends RuleError {}

/** The database cannot be used. */
export class StorageFailed extends RuleError {
  /** `full`: the disk is full. `unwritable`: the data folder cannot be written. `damaged`: the database file is damaged. */
  readonly kind: 'full' | 'unwritable' | 'damaged';

  constructor(kind: StorageFailed['kind'], explanation: Explanation) {
    super(explanation);
    this.kind = kind;
  }
}

export type DomainError =
  | NotFound
  | Unauthenticated
  | InvalidToken
  | InsufficientScope
  | Unauthorized
  | Forbidden
  | InvalidParameters
  | Unreadable
  | TooLarge
  | Unsupported
  | Invalid
  | Refused
  | ReadOnly
  | Unavailable
  | Overloaded
  | StorageFailed;

export function isDomainError(error: unknown): error is DomainError {
  return error instanceof RuleError;
}

/** Returns the error of a resource that does not exist or is not visible to the caller. */
export function notFound(resource: string, reason = `no such ${resource}, or it is not visible to the caller`): NotFound {
  return new NotFound(resource, false, { rule: 'resource.found', reason });
}

/** Returns the error of a resource without its own name in error messages. */
export function nothingFound(reason: string): NotFound {
  return new NotFound(undefined, false, { rule: 'resource.found', reason });
}

/** Returns the error of a lookup by id or iid inside a resource. */
export function recordNotFound(reason: string): NotFound {
  return new NotFound(undefined, true, { rule: 'record.found', reason });
}

export function forbidden(detail: string | undefined, reason: string, rule = 'ability'): Forbidden {
  return new Forbidden(detail, false, { rule, reason });
}

/** Returns a refusal whose message is the text alone. */
export function forbiddenWith(text: string, rule: string): Forbidden {
  return new Forbidden(text, true, { rule, reason: text });
}

export function unauthenticated(reason: string, rule = 'credentials.present'): Unauthenticated {
  return new Unauthenticated({ rule, reason });
}

/** Returns the error of an expired or revoked token. */
export function invalidToken(description: string, reason: string): InvalidToken {
  return new InvalidToken(description, { rule: 'credentials.alive', reason });
}

export function insufficientScope(accepted: readonly string[], held: readonly string[]): InsufficientScope {
  const reason = `the token has the scopes "${held.join(' ')}", but one of "${accepted.join(' ')}" is required`;
  return new InsufficientScope(accepted, { rule: 'scope', reason });
}

/** Returns the error of a missing permission that GitLab reports like a missing credential. */
export function unauthorized(reason: string, rule: string): Unauthorized {
  return new Unauthorized({ rule, reason });
}

/** Returns the error of invalid parameters. The texts are those for the caller; equal ones are reported once. */
export function invalidParameters(texts: readonly string[]): InvalidParameters {
  const distinct = [...new Set(texts)];
  return new InvalidParameters(distinct, { rule: 'parameters', reason: distinct.join(', ') });
}

/** Returns the error of unreadable content, such as malformed percent-encoding. */
export function unreadable(reason: string): Unreadable {
  return new Unreadable({ rule: 'request.readable', reason });
}

/** Returns the error of content with more than `limit` bytes. */
export function tooLarge(limit: number): TooLarge {
  return new TooLarge({ rule: 'body.size', reason: `the body is larger than ${limit} bytes` });
}

/** Returns the error of content of a type that the server cannot read. */
export function unsupportedContentType(type: string): Unsupported {
  const reason = 'send application/json, application/x-www-form-urlencoded or multipart/form-data';
  return new Unsupported('sent', type, { rule: 'content-type', reason });
}

/** Returns the error of a requested format that the server cannot write. */
export function unsupportedFormat(format: string): Unsupported {
  return new Unsupported('requested', format, { rule: 'format', reason: 'only JSON is supported' });
}

/** Returns the error of an invalid record, by field. */
export function invalidRecord(fields: Readonly<Record<string, readonly string[]>>): Invalid {
  return new Invalid(fields, { rule: 'record.valid', reason: `not valid: ${Object.keys(fields).join(', ')}` });
}

/** Returns the error of a request for something impossible. */
export function badRequest(detail: string, reason = detail): Refused {
  return new Refused('request', detail, { rule: 'request.valid', reason });
}

/** Returns the error of a change that a resource rejects, with its own message. */
export function refusedChange(text: string, reason = text, rule = 'change.possible'): Refused {
  return new Refused('change', text, { rule, reason });
}

/** Returns the error of an incomplete change. */
export function unprocessable(
  text: string | readonly string[],
  reason = [text].flat().join(', '),
  rule = 'change.whole',
): Refused {
  return new Refused('incomplete', text, { rule, reason });
}

export function conflict(text: string | readonly string[], reason = [text].flat().join(', '), rule = 'conflict'): Refused {
  return new Refused('conflict', text, { rule, reason });
}

/** Returns the error of a change that the state of a resource does not allow. */
export function wrongState(text: string, reason: string): Refused {
  return new Refused('state', text, { rule: 'method.allowed', reason });
}

export function repositoryReadOnly(): ReadOnly {
  const reason = 'the repository is moved to another storage; it can be written to again when the move ends';
  return new ReadOnly({ rule: 'repository.writable', reason });
}

/** Returns the error of a request for something that this server does not have. */
export function missingHere(text: string, reason: string, rule: string): Refused {
  return new Refused('missing', text, { rule, reason });
}

export function unavailable(text: string, reason: string): Unavailable {
  return new Unavailable(text, { rule: 'service.available', reason });
}

/** Returns the error of a request for which there is no room next to others. */
export function overloaded(reason: string): Overloaded {
  return new Overloaded({ rule: 'body.budget', reason });
}

const storageExplanations: Readonly<Record<StorageFailed['kind'], Explanation>> = {
  full: { rule: 'storage.full', reason: 'the disk of the server is full, and the request needs to write to it' },
  unwritable: {
    rule: 'storage.writable',
    reason: 'the data folder is not writable, and the request needs to write to it; see the server log for the cause',
  },
  damaged: { rule: 'storage.damaged', reason: 'the database file is damaged; see the server log for the cause' },
};

export function storageFailed(kind: StorageFailed['kind']): StorageFailed {
  return new StorageFailed(kind, storageExplanations[kind]);
}
