import assert from 'node:assert/strict';
import { createErrorSearch } from '../../../src/errorActions/errorSearch.ts';
import type { ErrorQuery, ErrorSource } from '../../../src/errorTracking/source.ts';
import { errorDetail } from '../errorPanel/details.ts';

describe('the search for tracked errors', () => {
  it('finds errors of several projects page by page, whatever the filter of the view is', async () => {
    const queries: ErrorQuery[] = [];
    const abilities = { filters: true, changesStatus: true };
    const source = (name: string, pages: number): ErrorSource => {
      const pageAt = (index: number) => ({
        items: Array.from({ length: 10 }, (_, at) => errorDetail({ id: `${name}${index}-${at}` })),
        next: index + 1 < pages ? String(index + 1) : undefined,
        ...{ isDisabled: false, abilities },
      });
      return {
        list: async (query) => {
          queries.push(query);
          return pageAt(0);
        },
        follow: async (query, next) => {
          queries.push(query);
          return pageAt(Number(next));
        },
        facet: async () => [],
        frames: async () => [],
      };
    };
    const query: ErrorQuery = {
      ...{ order: 'frequency', statuses: ['ignored'], level: 'fatal', environment: 'x', release: 'y', search: 'z' },
    };
    const projects = (['a', 'b'] as const).map((path, index) => ({
      ...{ project: { account: 'https://gitlab.example.com#1', id: index, path }, query, source: () => source(path, 2) },
    }));
    const list = createErrorSearch(projects, (_, run) => {
      const waiting = setImmediate(run);
      return () => clearImmediate(waiting);
    });
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    list.start();
    await settled();
    list.search(' tide ');
    await settled();
    await settled();
    list.loadMore();
    await settled();
    list.loadMore();
    await settled();
    const texts = list.rows().map((row) => (row.kind === 'item' ? row.item.error.id : row.kind));
    assert.deepEqual(
      [texts.includes('a1-9'), texts.includes('b0-0'), texts.filter((one) => one === 'heading').length],
      [true, true, 2],
    );
    const { search, ...others } = queries.at(-1) ?? query;
    assert.equal(search, 'tide');
    assert.deepEqual(others, {
      ...{ order: 'frequency', level: undefined, environment: undefined, release: undefined, assignee: undefined },
      statuses: ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'],
    });
  });
});
