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

/** Values of a record are not valid. */
export class Invalid extends RuleError {
  /** Errors by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(fields: Readonly<Record<string, readonly string[]>>, explanation: Explanation) {
    super(explanation);
    this.fields = fields;
  }
}

/** The current state of a resource does not allow a change. */
export class Refused extends RuleError {
  /** Text for the caller, or several. */
  readonly text: string | readonly string[];
  /**
   * `change`: the resource rejects the change. `conflict`: another resource is in the way. `incomplete`: the change lacks something.
   * `state`: the resource is not in the state that the change needs. `request`: the request asks for something impossible.
   */
  readonly kind: 'change' | 'conflict' | 'incomplete' | 'state' | 'request';

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

export type DomainError = NotFound | Forbidden | Invalid | Refused | ReadOnly | Unavailable;

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

export function unavailable(text: string, reason: string): Unavailable {
  return new Unavailable(text, { rule: 'service.available', reason });
}
