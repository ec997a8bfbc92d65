import { invalidParameters } from '../core/errors.ts';
import type { ApiRequest } from './route.ts';

/** Sent parameters by name. */
type Sent = Readonly<Record<string, unknown>>;

/**
 * Asks the request itself, because links have no secrets, and a secret can be all that was sent.
 *
 * @throws {InvalidParameters} If none of the parameters was sent.
 */
export function demandOneOf({ hasSent }: Pick<ApiRequest<unknown>, 'hasSent'>, names: readonly string[]): void {
  if (names.some((name) => hasSent(name))) return;
  throw invalidParameters([`${names.join(', ')} are missing, at least one parameter must be provided`]);
}

/** @throws {InvalidParameters} If more than one of the parameters was sent. */
export function refuseTogether(sent: Sent, names: readonly string[]): void {
  const both = names.filter((name) => Object.hasOwn(sent, name));
  if (both.length > 1) throw invalidParameters([`${both.join(', ')} are mutually exclusive`]);
}

/** Returns true if a parameter was sent empty, which clears a value: `due_date=` or `"due_date": null`. */
export function isSentEmpty(sent: Sent, name: string): boolean {
  return Object.hasOwn(sent, name) && (sent[name] === null || sent[name] === '');
}

/** @throws {InvalidParameters} Unless exactly one of the parameters was sent. */
export function demandExactlyOne(sent: Sent, names: readonly string[]): void {
  refuseTogether(sent, names);
  if (names.some((name) => Object.hasOwn(sent, name))) return;
  throw invalidParameters([`${names.join(', ')} are missing, exactly one parameter must be provided`]);
}
