/** Placeholder for a scrubbed value. */
export const FILTERED = '[Filtered]';
