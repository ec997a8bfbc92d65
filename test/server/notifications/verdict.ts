/** Returns a decision as the cases write it. */
export function verdictOf(decision: {
  readonly mailed: boolean;
  readonly reason: string | null;
  readonly rules: readonly { readonly rule: string }[];
}): string {
  if (!decision.mailed) return `not mailed: ${decision.rules.at(-1)?.rule ?? ''}`;
  return decision.reason === null ? 'mailed' : `mailed as ${decision.reason}`;
}
