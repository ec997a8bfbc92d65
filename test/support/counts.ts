/** Numbers of passed, failed and skipped tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Results of one mocha process, as the reporter writes them. */
export interface Recorded extends Counts {
  /** Milliseconds of tests and hooks by test file. */
  readonly files: Readonly<Record<string, number>>;
}

/** @throws Error if the text was not written by the reporter. */
export function parseCounts(json: string): Recorded {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object' && value !== null && 'passed' in value && 'failed' in value && 'skipped' in value) {
    const { passed, failed, skipped } = value;
    const files = 'files' in value ? millisecondsOf(value.files) : undefined;
    if (typeof passed === 'number' && typeof failed === 'number' && typeof skipped === 'number' && files !== undefined)
      return { passed, failed, skipped, files };
  }
  throw new Error('Invalid test counts.');
}

function millisecondsOf(value: unknown): Readonly<Record<string, number>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
}
