import type { ByteReader } from './byteReader.ts';
import type { PushCommands, RefCommand } from './commands.ts';
import type { PushReport } from './report.ts';

/** A push whose commands were read, and whose pack was not. */
export interface Push {
  readonly input: PushCommands;
  readonly reader: ByteReader;
  readonly baseUrl: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Must be called after the pack has arrived. Throws `Refused` if the sender is no longer allowed to push. */
  readonly demandAccess: () => Promise<void>;
}

/** Returns the report of a push of which nothing is accepted. */
export function refuseAll(commands: readonly RefCommand[], reason: string, unpackProblem: string | undefined): PushReport {
  const messages = [`GitLab: ${unpackProblem ?? reason}`];
  return { unpackProblem, refusals: new Map(commands.map((command) => [command, reason])), messages };
}

/** Reads the rest of a push, because clients send all of it before they read the response. */
export async function drain(reader: ByteReader): Promise<void> {
  const chunks = reader.rest();
  while ((await chunks.next()).done !== true);
}
