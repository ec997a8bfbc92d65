/** What an SDK says it has not sent (item `client_report`, errors.md §2.3). */
export interface Discarded {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

/** Counters of a key; what would be one more is counted as `other`. Anybody who has the key may invent names. */
export const MOST_COUNTERS = 200;
export const OTHER = { reason: 'other', category: 'other' } as const;

/** One counter each, with the names in the form that SDKs give them; undefined for what counts nothing. */
export function tidyDiscarded({ reason, category, quantity }: Discarded): Discarded | undefined {
  if (!Number.isSafeInteger(quantity) || quantity < 1) return undefined;
  return { reason: tidyName(reason), category: tidyName(category), quantity };
}

function tidyName(name: string): string {
  return /^[a-z][a-z0-9_]{0,63}$/.test(name) ? name : OTHER.reason;
}
