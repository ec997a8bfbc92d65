/** How many tests of a layer passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** @throws Error when the text is not what the reporter writes */
export function parseCounts(json: string): Counts {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object' && value !== null && 'passed' in value && 'failed' in value && 'skipped' in value) {
    const { passed, failed, skipped } = value;
    if (typeof passed === 'number' && typeof failed === 'number' && typeof skipped === 'number')
      return { passed, failed, skipped };
  }
  throw new Error('These are not the counts of a test run.');
}
