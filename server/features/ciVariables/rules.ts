/** Returns the errors of a value that job logs are to mask. Spaces and short values cannot be masked. */
export function maskRefusal(value: string, isRaw: boolean): string[] {
  const form = isRaw ? /^\S{8,}$/ : /^[\w+=/@:.~-]{8,}$/;
  return form.test(value) ? [] : ['is invalid'];
}

/** Returns the keys that a text refers to, as `$KEY` or `${KEY}`. `$$` stands for a dollar sign. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(reference)].flatMap(({ 1: braced, 2: plain }) => braced ?? plain ?? []);
}

/** Replaces references by the values of variables. Unknown ones are left as they are. */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(reference, (whole, braced?: string, plain?: string) => values.get(braced ?? plain ?? '') ?? whole);
}

const reference = /\$\$|\$\{(\w+)\}|\$(\w+)/g;
