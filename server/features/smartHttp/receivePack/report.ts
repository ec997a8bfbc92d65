import { FLUSH, pktLine } from '../pktLine.ts';
import type { RefCommand } from './commands.ts';

/** Result of a push. */
export interface PushReport {
  /** Problem with the pack; undefined if it is valid. */
  readonly unpackProblem: string | undefined;
  /** Reason why a ref was not updated. Refs without one were updated. */
  readonly refusals: ReadonlyMap<RefCommand, string>;
  /** Lines that git shows to the user as `remote:` lines. */
  readonly messages: readonly string[];
}

/** Maximum length of the data of one packet of a side band. */
const MAX_BAND = 65_515;

/** Returns the response to a push as far as the client understands it. */
export function formatReport(
  commands: readonly RefCommand[],
  capabilities: ReadonlySet<string>,
  { unpackProblem, refusals, messages }: PushReport,
): Buffer {
  const isReported = capabilities.has('report-status') || capabilities.has('report-status-v2');
  const status = Buffer.concat([
    pktLine(`unpack ${unpackProblem ?? 'ok'}\n`),
    ...commands.map((command) => {
      const reason = refusals.get(command);
      const [verdict, rest] = reason === undefined ? ['ok ', '\n'] : ['ng ', ` ${reason}\n`];
      return pktLine(Buffer.concat([Buffer.from(verdict), command.name, Buffer.from(rest)]));
    }),
    FLUSH,
  ]);
  if (!capabilities.has('side-band-64k')) return isReported ? status : Buffer.alloc(0);
  const text = messages.map((line) => `${line}\n`).join('');
  return Buffer.concat([...inBand(2, Buffer.from(text)), ...(isReported ? inBand(1, status) : []), FLUSH]);
}

function inBand(band: number, data: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < data.length; at += MAX_BAND) {
    packets.push(pktLine(Buffer.concat([Buffer.from([band]), data.subarray(at, at + MAX_BAND)])));
  }
  return packets;
}
