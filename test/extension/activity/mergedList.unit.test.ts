import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergedList } from '../../../src/activity/mergedList.ts';
import type { Page } from '../../../src/api/client.ts';

interface Element {
  readonly id: number;
}

const { signal } = new AbortController();

/** Lists with these IDs, in pages of two. A link is the number of a list and of the next element. */
function listsOf(lists: readonly (readonly number[])[]) {
  const asked: string[] = [];
  const pageOf = (list: number, from: number): Page<Element> => {
    const ids = lists[list] ?? [];
    const items = ids.slice(from, from + 2).map((id) => ({ id }));
    return from + 2 < ids.length ? { items, next: `${list} ${from + 2}` } : { items };
  };
  const merged = mergedList<Element>(
    lists.map((_, list) => async () => {
      asked.push(`${list} 0`);
      return pageOf(list, 0);
    }),
    async (link) => {
      asked.push(link);
      const [list = 0, from = 0] = link.split(' ').map(Number);
      return pageOf(list, from);
    },
  );
  return { merged, asked };
}

async function pagesOf({ merged }: ReturnType<typeof listsOf>): Promise<readonly (readonly number[])[]> {
  let page = await merged.first(signal);
  const pages = [page.items.map(({ id }) => id)];
  while (page.next !== undefined && pages.length < 200) {
    page = await merged.follow(page.next, signal);
    pages.push(page.items.map(({ id }) => id));
  }
  return pages;
}

describe('merged lists', () => {
  it('merged lists have the elements of all lists, the newest first, and end a page where a list may continue', async () => {
    const lists = listsOf([[9, 8, 3, 1], [7, 6, 5, 4], []]);
    assert.deepEqual(await pagesOf(lists), [
      [9, 8],
      [7, 6],
      [5, 4, 3, 1],
    ]);
    assert.deepEqual(lists.asked.slice(0, 3), ['0 0', '1 0', '2 0']);
  });

  it('merged lists contain every element once and in order, whatever the lists are', async () => {
    const ids = fc.uniqueArray(fc.nat(60), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(ids, fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }), async (all, owners) => {
        const sorted = all.toSorted((one, other) => other - one);
        const lists = [0, 1, 2, 3].map((list) => sorted.filter((_, index) => owners[index] === list));
        assert.deepEqual((await pagesOf(listsOf(lists))).flat(), sorted);
      }),
    );
  });

  it('merged lists of one list are that list, with its own links', async () => {
    const { merged, asked } = listsOf([[3, 2, 1]]);
    const { next } = await merged.first(signal);
    assert.equal(next, '0 2');
    assert.deepEqual(await merged.follow(next, signal), { items: [{ id: 1 }] });
    assert.deepEqual(asked, ['0 0', '0 2']);
  });

  for (const link of ['merged:', 'merged:{"below":1,"positions":[true]}', 'https://platform.example/api/v4/events?page=2'])
    it(`merged lists begin again at the link ${link}, which they cannot read`, async () => {
      const { merged } = listsOf([[3], [2]]);
      assert.deepEqual(await merged.follow(link, signal), { items: [{ id: 3 }, { id: 2 }] });
    });
});
