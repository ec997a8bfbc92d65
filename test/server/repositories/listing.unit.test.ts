import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createListing, createListings, type Listing } from '../../../server/repositories/listing.ts';

const ID = 'a'.repeat(40);

/** Returns the output of git for some files and their directories, in git's order. */
function printed(files: readonly string[], submodules: readonly string[] = []): Buffer {
  const types = new Map<string, 'tree' | 'blob' | 'commit'>();
  for (const path of [...files, ...submodules]) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) types.set(parts.slice(0, depth).join('/'), 'tree');
    types.set(path, submodules.includes(path) ? 'commit' : 'blob');
  }
  const key = (path: string): Buffer => Buffer.from(types.get(path) === 'tree' ? `${path}/` : path);
  const modes = { tree: '040000', blob: '100644', commit: '160000' } as const;
  const records = [...types.keys()]
    .sort((a, b) => key(a).compare(key(b)))
    .map((path) => {
      const type = types.get(path) ?? 'blob';
      return `${modes[type]} ${type} ${ID}\t${path}\0`;
    });
  return Buffer.from(records.join(''));
}

const all = (listing: Listing): string[] => Array.from({ length: listing.length }, (_, index) => listing.entry(index).path);

describe('the listing of a tree', () => {
  it('the listing of a tree is sorted by directories, files and submodules, whatever their names', () => {
    const listing = createListing(printed(['a\tb', 'b/x', 'b.c', 'b/a/y', 'ä 🚦', 'new\nline'], ['lib']));
    assert.deepEqual(all(listing), ['b', 'b/a', 'a\tb', 'b.c', 'b/a/y', 'b/x', 'new\nline', 'ä 🚦', 'lib']);
    assert.deepEqual(listing.entry(8), { mode: '160000', type: 'commit', id: ID, path: 'lib' });
    assert.deepEqual(listing.entry(0), { mode: '040000', type: 'tree', id: ID, path: 'b' });
  });

  it('the listing of a tree is empty for an empty tree, and has nothing after any entry', () => {
    const listing = createListing(Buffer.alloc(0));
    assert.equal(listing.length, 0);
    assert.equal(listing.behind('blob', 'a'), 0);
  });

  it('the listing of a tree continues after each entry, also after one that no longer exists', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', '0', 'é'), minLength: 1, maxLength: 3 });
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), fc.nat(), (paths, chosen) => {
        // A file cannot be a directory of another file.
        const files = paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
        const listing = createListing(printed(files));
        for (let index = 0; index < listing.length; index += 1) {
          const { type, path: own } = listing.entry(index);
          assert.equal(listing.behind(type, own), index + 1, own);
        }
        const gone = files[chosen % Math.max(files.length, 1)];
        if (gone === undefined) return;
        const before = all(listing);
        const follower = before.slice(before.indexOf(gone) + 1);
        const rest = createListing(printed(files.filter((file) => file !== gone)));
        const left = new Set(all(rest));
        assert.deepEqual(
          all(rest).slice(rest.behind('blob', gone)),
          follower.filter((entry) => left.has(entry)),
        );
      }),
    );
  });

  it('the listing of a tree is created once for concurrent requests, and cached until newer ones need the space', async () => {
    const output = printed(['a', 'b', 'c']);
    const { size } = createListing(output);
    const listings = createListings(size * 2);
    const made: string[] = [];
    const get = (key: string): Promise<Listing> =>
      listings.get(key, async () => {
        made.push(key);
        return output;
      });
    await Promise.all([get('one'), get('one')]);
    await get('two');
    await get('one');
    await get('three');
    assert.deepEqual(made, ['one', 'two', 'three']);
    await get('one');
    await get('two');
    assert.deepEqual(made, ['one', 'two', 'three', 'two']);
  });

  it('the listing of a tree reports failures without caching them', async () => {
    const listings = createListings(1000);
    await assert.rejects(
      listings.get('one', () => Promise.reject(new Error('no such tree'))),
      /no such tree/,
    );
    assert.equal((await listings.get('one', async () => printed(['a']))).length, 1);
  });
});
