import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL_HEADER = 30;
const STORED = 0;
const DEFLATED = 8;

/** Returns the files of a zip archive: path in the archive → bytes. Throws if it is not an archive that `@vscode/vsce` can have written. */
export function readZip(archive: Buffer): ReadonlyMap<string, Buffer> {
  // A comment may follow the record at the end, so it is searched backwards.
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('This is not a zip archive.');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new Error('The directory of the zip archive is damaged.');
    const method = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 20);
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const begin = local + LOCAL_HEADER + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(begin, begin + size);
    if (method !== STORED && method !== DEFLATED) throw new Error(`${name} has the unknown compression method ${method}.`);
    if (!name.endsWith('/')) files.set(name, method === STORED ? bytes : inflateRawSync(bytes));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}
