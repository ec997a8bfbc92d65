/**
 * Says how far long work is, and lets the event loop turn, so that the line is written and signals are noticed. `done` of `total` steps
 * are behind it.
 */
export type Progress = (message: string, done?: number, total?: number) => Promise<void>;

export const silentProgress: Progress = async () => undefined;
