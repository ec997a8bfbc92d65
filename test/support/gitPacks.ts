// Builds git objects and packs by hand (gitformat-pack(5)), and pushes them over HTTP without a git client.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { pktLine } from '../../server/features/smartHttp/pktLine.ts';

const types = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
export const NO_OBJECT = '0'.repeat(40);

/** What a pack has for an object. */
export interface PackEntry {
  /** Type and length, and the base of a delta. */
  readonly head: Buffer;
  readonly bytes: Buffer;
  /** The bytes as zlib data; those of `deflateSync` if omitted. */
  readonly deflated?: Buffer;
}

/** An object. */
export interface PackedObject extends PackEntry {
  readonly id: string;
}

export function gitObject(type: keyof typeof types, content: string | Buffer): PackedObject {
  const bytes = Buffer.from(content);
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { id, bytes, head: header(types[type], bytes.length) };
}

/** Returns an object whose header says another size than it has. */
export function objectOfSize(size: number, content: string | Buffer): PackEntry {
  return { head: header(types.blob, size), bytes: Buffer.from(content) };
}

/** Returns a delta whose base is named by its id. */
export function referenceDelta({ id }: Pick<PackedObject, 'id'>, bytes: Buffer, size = bytes.length): PackEntry {
  return { head: Buffer.concat([header(REFERENCE_DELTA, size), Buffer.from(id, 'hex')]), bytes };
}

/** Returns a delta whose base begins `distance` bytes before it. */
export function offsetDelta(distance: number, bytes: Buffer): PackEntry {
  const offset = [distance & 127];
  for (let left = Math.floor(distance / 128); left > 0; left = Math.floor(left / 128)) {
    left -= 1;
    offset.unshift((left & 127) | 128);
  }
  return { head: Buffer.concat([header(OFFSET_DELTA, bytes.length), Buffer.from(offset)]), bytes };
}

/** Returns the content of a delta that copies the beginning of its base some times. */
export function copyDelta(baseSize: number, copied: number, times: number): Buffer {
  const copy = Buffer.from([0xf0, copied & 255, (copied >> 8) & 255, copied >> 16]);
  return Buffer.concat([varint(baseSize), varint(copied * times), ...Array.from({ length: times }, () => copy)]);
}

/** Returns the content of a delta that says its sizes, and has no instructions. */
export function emptyDelta(baseSize: number, size: number): Buffer {
  return Buffer.concat([varint(baseSize), varint(size)]);
}

/** Returns a tree with entries such as `['100644', 'a.txt', id]`, which are in the order of git. */
export function treeObject(entries: readonly (readonly [mode: string, name: string, id: string])[]): PackedObject {
  return gitObject(
    'tree',
    Buffer.concat(entries.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]))),
  );
}

export function commitObject(tree: PackedObject, message: string, parents: readonly PackedObject[] = []): PackedObject {
  const who = 'Ada Example <ada@example.com> 1700000000 +0000';
  const lines = [`tree ${tree.id}`, ...parents.map(({ id }) => `parent ${id}`), `author ${who}`, `committer ${who}`];
  return gitObject('commit', `${lines.join('\n')}\n\n${message}`);
}

/** Returns a commit with ten to the power of `depth` paths and more, and the objects that it consists of: about a kilobyte. */
export function treeBomb(depth: number): { readonly objects: readonly PackedObject[]; readonly head: PackedObject } {
  const blob = gitObject('blob', 'hello\n');
  let top = treeObject(Array.from({ length: 10 }, (_, index) => ['100644', `f${index}`, blob.id] as const));
  const objects = [blob, top];
  for (let level = 1; level < depth; level += 1) {
    const { id } = top;
    const folders = Array.from({ length: 10 }, (_, index) => ['40000', `d${index}`, id] as const);
    top = treeObject([...folders, ['100644', 'spec', blob.id]]);
    objects.push(top);
  }
  const head = commitObject(top, 'Many paths');
  return { objects: [...objects, head], head };
}

/** Returns the bytes that an object takes in a pack. */
export function entryBytes({ head, bytes, deflated = deflateSync(bytes, { level: 9 }) }: PackEntry): Buffer {
  return Buffer.concat([head, deflated]);
}

/** Returns a pack. Its header says `count` objects. */
export function packOf(objects: readonly PackEntry[], count = objects.length): Buffer {
  const start = Buffer.alloc(12);
  start.write('PACK');
  start.writeUInt32BE(2, 4);
  start.writeUInt32BE(count, 8);
  const body = Buffer.concat([start, ...objects.map(entryBytes)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Returns the body of a push that creates branches with an object. */
export function pushBody(refs: readonly string[], head: PackedObject, pack: Buffer): Buffer {
  const commands = refs.map((ref, index) =>
    pktLine(`${NO_OBJECT} ${head.id} ${ref}${index === 0 ? '\0 report-status side-band-64k' : ''}`),
  );
  return Buffer.concat([...commands, Buffer.from('0000'), pack]);
}

/** Pushes objects to a new branch. Returns the output of the server. */
export async function pushObjects(
  address: string,
  token: string,
  objects: readonly PackEntry[],
  head: PackedObject,
  branch = 'main',
): Promise<string> {
  const response = await fetch(`${address}/git-receive-pack`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-git-receive-pack-request',
      Authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
    },
    body: new Uint8Array(pushBody([`refs/heads/${branch}`], head, packOf(objects))),
  });
  return response.text();
}

function header(type: number, length: number): Buffer {
  const rest = Math.floor(length / 16);
  const first = (type << 4) | (length & 15);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 128]), varint(rest)]);
}

/** Encodes a number in groups of seven bits, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}
