import type { Entry, EntryType } from './objects.ts';

/**
 * The entries of a tree: directories, then files, then submodules, each in git's order. Stored as printed by git, with the offset
 * of each entry, so that reading a page does not cost the entries before it.
 */
export interface Listing {
  readonly length: number;
  /** Memory used, in bytes. */
  readonly size: number;
  entry(index: number): Entry;
  /** Returns the index of the first entry after a type and path, which may no longer exist. */
  behind(type: EntryType, path: string): number;
}

const types: readonly EntryType[] = ['tree', 'blob', 'commit'];
const TAB = 9;
/** Length of `100644 `. */
const MODE_LENGTH = 7;
/** Length of mode, type, id and a one-letter name. */
const SHORTEST_RECORD = 55;

/** Parses the output of `git ls-tree -z`. */
export function createListing(output: Buffer): Listing {
  const most = Math.ceil(output.length / SHORTEST_RECORD);
  const starts = [new Uint32Array(most), new Uint32Array(most), new Uint32Array(most)];
  const ranks = [0, 0, 0];
  for (let at = 0; at < output.length; ) {
    // The type follows the mode: t, b or c.
    const letter = output[at + MODE_LENGTH];
    const rank = letter === 0x74 ? 0 : letter === 0x62 ? 1 : 2;
    const count = ranks[rank] ?? 0;
    const list = starts[rank];
    if (list !== undefined) list[count] = at;
    ranks[rank] = count + 1;
    const end = output.indexOf(0, at);
    at = end < 0 ? output.length : end + 1;
  }
  const [trees = 0, blobs = 0, commits = 0] = ranks;
  const offsets = new Uint32Array(trees + blobs + commits);
  for (const [rank, begin] of [0, trees, trees + blobs].entries()) {
    offsets.set(starts[rank]?.subarray(0, ranks[rank]) ?? [], begin);
  }

  const typeAt = (index: number): EntryType => (index < trees ? 'tree' : index < trees + blobs ? 'blob' : 'commit');
  const pathAt = (index: number): Buffer => {
    const start = offsets[index] ?? output.length;
    const tab = output.indexOf(TAB, start);
    const end = output.indexOf(0, tab);
    return output.subarray(tab + 1, end < 0 ? output.length : end);
  };

  return {
    length: offsets.length,
    size: output.length + offsets.byteLength,
    entry: (index) => {
      const start = offsets[index] ?? output.length;
      const tab = output.indexOf(TAB, start);
      const [mode = '', , id = ''] = output.toString('latin1', start, tab).split(' ');
      return { mode, type: typeAt(index), id, path: pathAt(index).toString('utf8') };
    },
    behind: (type, path) => {
      const rank = types.indexOf(type);
      let low = rank === 0 ? 0 : rank === 1 ? trees : trees + blobs;
      let high = low + (ranks[rank] ?? 0);
      // Git sorts a directory as if its name ended with a slash.
      const key = Buffer.from(type === 'tree' ? `${path}/` : path);
      while (low < high) {
        const middle = (low + high) >>> 1;
        const own = pathAt(middle);
        const order = type === 'tree' ? Buffer.concat([own, SLASH]).compare(key) : own.compare(key);
        if (order <= 0) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}

const SLASH = Buffer.from('/');

/** Cache of recent listings by key. Trees are immutable, so listings never become stale. */
export interface Listings {
  get(key: string, make: () => Promise<Buffer>): Promise<Listing>;
}

/** Creates a cache with a maximum size in bytes. Listings larger than that are not cached. */
export function createListings(maxBytes: number): Listings {
  const stored = new Map<string, Listing>();
  const pending = new Map<string, Promise<Listing>>();
  let bytes = 0;
  const keep = (key: string, listing: Listing): void => {
    if (listing.size > maxBytes) return;
    stored.set(key, listing);
    bytes += listing.size;
    for (const [oldest, { size }] of stored) {
      if (bytes <= maxBytes) break;
      stored.delete(oldest);
      bytes -= size;
    }
  };
  return {
    get: async (key, make) => {
      const known = stored.get(key);
      if (known !== undefined) {
        stored.delete(key);
        stored.set(key, known);
        return known;
      }
      let listing = pending.get(key);
      if (listing === undefined) {
        listing = make().then(createListing);
        pending.set(key, listing);
        void listing.then(
          (made) => {
            pending.delete(key);
            keep(key, made);
          },
          () => pending.delete(key),
        );
      }
      return listing;
    },
  };
}
