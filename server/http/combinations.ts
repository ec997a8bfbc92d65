import { invalidParameters } from './failures.ts';

/** Parameters as they were sent, by name. */
type Sent = Readonly<Record<string, unknown>>;

/** Throws the 400 of a request that sends none of these parameters. */
export function demandOneOf(sent: Sent, names: readonly string[]): void {
  if (names.some((name) => Object.hasOwn(sent, name))) return;
  throw invalidParameters([`${names.join(', ')} are missing, at least one parameter must be provided`]);
}

/** Throws the 400 of a request that sends more than one of these parameters. */
export function refuseTogether(sent: Sent, names: readonly string[]): void {
  const both = names.filter((name) => Object.hasOwn(sent, name));
  if (both.length > 1) throw invalidParameters([`${both.join(', ')} are mutually exclusive`]);
}

/** Whether a parameter was sent empty, which is how a client takes a value away: `due_date=` or `"due_date": null`. */
export function isSentEmpty(sent: Sent, name: string): boolean {
  return Object.hasOwn(sent, name) && (sent[name] === null || sent[name] === '');
}

/** Throws the 400 of a request that sends none of these parameters, or more than one. */
export function demandExactlyOne(sent: Sent, names: readonly string[]): void {
  refuseTogether(sent, names);
  if (names.some((name) => Object.hasOwn(sent, name))) return;
  throw invalidParameters([`${names.join(', ')} are missing, exactly one parameter must be provided`]);
}
