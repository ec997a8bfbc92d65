/** Returns the known word with the smallest edit distance, if that is at most `most`. */
export function nearest(word: string, words: readonly string[], most = Number.POSITIVE_INFINITY): string | undefined {
  const [closest] = words
    .map((known) => ({ known, distance: editDistance(word, known) }))
    .sort((a, b) => a.distance - b.distance);
  return closest === undefined || closest.distance > most ? undefined : closest.known;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
