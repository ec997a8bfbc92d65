import { badRequest } from '../../../core/errors.ts';
import type { ByteReader } from './byteReader.ts';

/** Object ID that stands for a ref that does not exist. */
export const NO_OBJECT = '0'.repeat(40);

/** A command of a push: the ref and the IDs of its objects before and after. */
export interface RefCommand {
  readonly ref: string;
  /** Name as sent, for the report. */
  readonly name: Buffer;
  readonly before: string;
  readonly after: string;
}

export interface PushCommands {
  readonly commands: readonly RefCommand[];
  readonly capabilities: ReadonlySet<string>;
  readonly isShallow: boolean;
  readonly options: readonly string[];
}

/** Limits of one push. */
const MAX_COMMANDS = 10_000;
const MAX_COMMAND_BYTES = 8 * 1024 * 1024;
const MAX_OPTIONS = 100;

/** Reads the commands and options of a push (gitprotocol-pack(5)). Throws 400 if they are invalid or too many. */
export async function readCommands(reader: ByteReader): Promise<PushCommands> {
  const commands: RefCommand[] = [];
  let capabilities: ReadonlySet<string> | undefined;
  let isShallow = false;
  for await (const packet of packets(reader)) {
    if (/^shallow [0-9a-f]{40}\n?$/.test(packet.toString('latin1'))) {
      isShallow = true;
      continue;
    }
    const zero = packet.indexOf(0);
    capabilities ??= new Set(
      zero < 0
        ? []
        : packet
            .subarray(zero + 1)
            .toString('utf8')
            .trim()
            .split(' '),
    );
    commands.push(commandOf(zero < 0 ? packet : packet.subarray(0, zero)));
    if (commands.length > MAX_COMMANDS) throw badRequest(`A push can update at most ${MAX_COMMANDS} refs`);
  }
  const options: string[] = [];
  if (capabilities?.has('push-options') === true) {
    for await (const packet of packets(reader)) {
      options.push(packet.toString('utf8').replace(/\n$/, ''));
      if (options.length > MAX_OPTIONS) throw badRequest(`A push can have at most ${MAX_OPTIONS} options`);
    }
  }
  return { commands, capabilities: capabilities ?? new Set(), isShallow, options };
}

function commandOf(packet: Buffer): RefCommand {
  const ids = /^([0-9a-f]{40}) ([0-9a-f]{40}) $/.exec(packet.subarray(0, 82).toString('latin1'));
  if (ids === null) throw badRequest('The request is not a push: a command is invalid');
  const name = packet.at(-1) === 0x0a ? packet.subarray(82, -1) : packet.subarray(82);
  return { before: ids[1] ?? '', after: ids[2] ?? '', ref: name.toString('utf8'), name: Buffer.from(name) };
}

/** Returns the packets up to the next flush packet. */
async function* packets(reader: ByteReader): AsyncGenerator<Buffer> {
  let size = 0;
  for (;;) {
    const header = (await reader.take(4)).toString('latin1');
    if (header === '0000') return;
    if (!/^[0-9a-f]{4}$/i.test(header)) throw badRequest('The request is not a push: a packet has no length');
    const length = Number.parseInt(header, 16) - 4;
    size += length;
    if (length < 0) throw badRequest('The request is not a push: a packet is invalid');
    if (size > MAX_COMMAND_BYTES) throw badRequest('The commands of the push are too long');
    const packet = await reader.take(length);
    if (packet.length < length) throw badRequest('The push was cut off');
    yield packet;
  }
}
