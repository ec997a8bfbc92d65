import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { FileNode, FolderNode } from './fileTree.ts';

// Writes git objects without the git program: for many small repositories, starting the program dominates the time. Formats:
// gitformat-pack(5), version 2 of pack and index.

const types = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
type ObjectType = keyof typeof types;

export interface Pack {
  /** Adds an object and returns its id. */
  add(type: ObjectType, bytes: Buffer): string;
  /** Adds a directory with all its subdirectories. */
  addTree(folder: FolderNode): string;
  /** Writes the pack durably into the folder of a repository. */
  write(repository: string): Promise<void>;
}

export function createPack(): Pack {
  const objects = new Map<string, Buffer>();
  const trees = new WeakMap<FolderNode, string>();

  const add: Pack['add'] = (type, bytes) => {
    const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
    if (!objects.has(id)) objects.set(id, Buffer.concat([header(types[type], bytes.length), deflateSync(bytes)]));
    return id;
  };

  const addTree: Pack['addTree'] = (folder) => {
    const known = trees.get(folder);
    if (known !== undefined) return known;
    const id = add('tree', treeBytes([...folder.entries].map(([name, node]) => treeEntry(name, node, addTree))));
    trees.set(folder, id);
    return id;
  };

  return {
    add,
    addTree,
    write: async (repository) => {
      if (objects.size === 0) return;
      const { name, pack, index } = filesOf(objects);
      const folder = path.join(repository, 'objects', 'pack');
      await mkdir(folder, { recursive: true });
      // Git recognizes a pack once its index exists.
      await writeDurably(path.join(folder, `${name}.pack`), pack);
      await writeDurably(path.join(folder, `${name}.idx`), index);
    },
  };
}

interface TreeEntry {
  readonly name: Buffer;
  readonly mode: string;
  readonly id: string;
}

function treeEntry(name: string, node: FileNode | FolderNode, addTree: Pack['addTree']): TreeEntry {
  const bytes = Buffer.from(name);
  return node.kind === 'file' ? { name: bytes, mode: node.mode, id: node.id } : { name: bytes, mode: '40000', id: addTree(node) };
}

/** Serializes a tree. Git sorts by bytes, with directories as if their names ended with a slash. */
function treeBytes(entries: readonly TreeEntry[]): Buffer {
  const slash = Buffer.from('/');
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.mode === '40000' ? Buffer.concat([entry.name, slash]) : entry.name,
  }));
  keyed.sort((one, other) => Buffer.compare(one.key, other.key));
  return Buffer.concat(
    keyed.flatMap(({ entry: { mode, name, id } }) => [Buffer.from(`${mode} `), name, Buffer.from([0]), Buffer.from(id, 'hex')]),
  );
}

/** Encodes type and length of an object in a pack: four bits of the length in the first byte, then seven per byte. */
function header(type: number, length: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (length & 15);
  for (let left = Math.floor(length / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push(byte | 128);
    byte = left & 127;
  }
  return Buffer.from([...bytes, byte]);
}

function filesOf(objects: ReadonlyMap<string, Buffer>): { name: string; pack: Buffer; index: Buffer } {
  const parts = [Buffer.from('PACK'), numbers([2, objects.size])];
  let offset = 12;
  const offsets = new Map<string, number>();
  for (const [id, bytes] of objects) {
    offsets.set(id, offset);
    offset += bytes.length;
    parts.push(bytes);
  }
  // Larger offsets would need a second table in the index; a seed file is far smaller.
  if (offset > 0x7fff_ffff) throw new Error('the objects are too large for one pack');
  const body = Buffer.concat(parts);
  const checksum = sha1(body);
  const ids = [...objects.keys()].sort();
  const fanout: number[] = [];
  let count = 0;
  for (let first = 0; first < 256; first += 1) {
    while (count < ids.length && Number.parseInt(ids[count]?.slice(0, 2) ?? '', 16) <= first) count += 1;
    fanout.push(count);
  }
  const index = Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63]),
    numbers([2, ...fanout]),
    Buffer.from(ids.join(''), 'hex'),
    numbers(ids.map((id) => crc32(objects.get(id) ?? ''))),
    numbers(ids.map((id) => offsets.get(id) ?? 0)),
    checksum,
  ]);
  return {
    name: `pack-${checksum.toString('hex')}`,
    pack: Buffer.concat([body, checksum]),
    index: Buffer.concat([index, sha1(index)]),
  };
}

function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest();
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'w', 0o444);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
