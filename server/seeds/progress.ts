/** Reports the progress of long work, and lets the event loop turn so that the line is written and signals are noticed. */
export type Progress = (message: string, done?: number, total?: number) => Promise<void>;

export const silentProgress: Progress = async () => undefined;
