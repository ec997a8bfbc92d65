import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

// Node's own cache (module.enableCompileCache) stores the code of a module as it is before the module runs: almost all of its functions are
// missing and are compiled again at every start. Here the code is stored when the server has responded to requests.

/** Checksums of the source and of the code, in bytes. */
const HEADER = 8;

/** Programs by their file whose code is not stored yet. */
const unsaved = new Map<string, { readonly script: Script; readonly source: number }>();

/**
 * Loads a bundle with the compiled code of an earlier process, if the folder has it. Afterwards require() returns the loaded bundle.
 *
 * @param file absolute path of a CommonJS bundle that has only ASCII characters
 * @param folder private folder of the user: the code in it is run
 */
export function loadCompiled(file: string, folder: string): void {
  const contents = readFileSync(file);
  const source = crc32(contents);
  const stored = path.join(folder, `${path.basename(file, '.js')}-${process.versions.v8}-${process.arch}.code`);
  const cachedData = storedCode(stored, source);
  const opening = '(function (exports, require, module, __filename, __dirname) { ';
  const script = new Script(`${opening}${contents.toString('latin1')}\n})`, {
    filename: file,
    columnOffset: -opening.length,
    cachedData,
  });
  if (cachedData === undefined || script.cachedDataRejected === true) unsaved.set(stored, { script, source });
  const run: unknown = script.runInThisContext();
  if (typeof run !== 'function') return;
  const require = createRequire(file);
  const loaded = new Module(file);
  loaded.filename = file;
  Reflect.apply(run, loaded.exports, [loaded.exports, require, loaded, file, path.dirname(file)]);
  loaded.loaded = true;
  require.cache[file] = loaded;
}

/** Returns undefined if there is no code, if it belongs to another source, or if it is damaged. */
function storedCode(stored: string, source: number): Buffer | undefined {
  try {
    const contents = readFileSync(stored);
    const code = contents.subarray(HEADER);
    return contents.readUInt32LE(0) === source && contents.readUInt32LE(4) === crc32(code) ? code : undefined;
  } catch {
    // There is none yet.
    return undefined;
  }
}

/** Stores the code of the loaded bundles that was compiled so far, for the next start. */
export function saveCompiled(): void {
  for (const [stored, { script, source }] of unsaved) {
    unsaved.delete(stored);
    const code = script.createCachedData();
    const header = Buffer.alloc(HEADER);
    header.writeUInt32LE(source, 0);
    header.writeUInt32LE(crc32(code), 4);
    const draft = `${stored}.${process.pid}`;
    try {
      writeFileSync(draft, Buffer.concat([header, code]), { mode: 0o600 });
      renameSync(draft, stored);
    } catch {
      // The next start compiles the code again.
      rmSync(draft, { force: true });
    }
  }
}
