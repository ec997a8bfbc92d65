// Builds git objects and packs by hand (gitformat-pack(5)), and pushes them over HTTP without a git client.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { pktLine } from '../../server/features/smartHttp/pktLine.ts';

const types = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
export const NO_OBJECT = '0'.repeat(40);

/** An object. */
export interface PackedObject {
  readonly id: string;
  readonly bytes: Buffer;
  /** Type and length. */
  readonly head: Buffer;
}

export function gitObject(type: keyof typeof types, content: string | Buffer): PackedObject {
  const bytes = Buffer.from(content);
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { id, bytes, head: header(types[type], bytes.length) };
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

export function packOf(objects: readonly PackedObject[]): Buffer {
  const start = Buffer.alloc(12);
  start.write('PACK');
  start.writeUInt32BE(2, 4);
  start.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([start, ...objects.flatMap(({ head, bytes }) => [head, deflateSync(bytes, { level: 9 })])]);
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
  objects: readonly PackedObject[],
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
