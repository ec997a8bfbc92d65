/** Numbers of passed, failed and skipped tests of a layer. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** @throws Error if the text was not written by the reporter. */
export function parseCounts(json: string): Counts {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object' && value !== null && 'passed' in value && 'failed' in value && 'skipped' in value) {
    const { passed, failed, skipped } = value;
    if (typeof passed === 'number' && typeof failed === 'number' && typeof skipped === 'number')
      return { passed, failed, skipped };
  }
  throw new Error('Invalid test counts.');
}
