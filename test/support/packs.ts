// Builds pushes without a git client (gitformat-pack(5), gitprotocol-pack(5)).
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export interface PackedObject {
  readonly type: 'commit' | 'tree' | 'blob';
  readonly id: string;
  readonly content: Buffer;
}

export const NO_OBJECT = '0'.repeat(40);

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;

function objectOf(type: PackedObject['type'], text: string | Buffer): PackedObject {
  const content = Buffer.from(text);
  return { type, content, id: createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex') };
}

/** Returns a commit without files and parents, with its tree. */
export function commitWith(message: string, author = 'Ada <ada@example.com> 1700000000 +0000'): readonly PackedObject[] {
  const tree = objectOf('tree', '');
  return [objectOf('commit', `tree ${tree.id}\nauthor ${author}\ncommitter ${author}\n\n${message}`), tree];
}

function packOf(objects: readonly PackedObject[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects.length, 8);
  const parts = objects.flatMap(({ type, content }) => [objectHeader(TYPES[type], content.length), deflateSync(content)]);
  const pack = Buffer.concat([header, ...parts]);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

/** Returns the type and size of an object, seven bits a byte after the first four bits of the size. */
function objectHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

/** Returns the body of a push that moves refs, as `[before, after, name]`. */
export function pushOf(refs: readonly (readonly [string, string, string])[], objects: readonly PackedObject[]): Buffer {
  const lines = refs.map(([before, after, name], index) => `${before} ${after} ${name}${index === 0 ? '\0 report-status' : ''}`);
  const packets = lines.map((line) => `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, '0')}${line}`);
  const hasPack = refs.some(([, after]) => after !== NO_OBJECT);
  return Buffer.concat([Buffer.from(`${packets.join('')}0000`), ...(hasPack ? [packOf(objects)] : [])]);
}
