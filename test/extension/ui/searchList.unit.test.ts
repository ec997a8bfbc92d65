import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Page } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import { createSearchList, type SearchList, type SearchPart } from '../../../src/ui/searchList.ts';

/** Request of a list that the test responds to. */
interface PendingRequest {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly response: (...items: readonly string[]) => Promise<void>;
  readonly responseWithMore: (link: string, ...items: readonly string[]) => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** List with two parts, whose requests wait for the test; `pause` lets the typing delay pass. */
function stage(offered: readonly string[] = []) {
  const requests: PendingRequest[] = [];
  const waiting: (() => void)[] = [];
  const ask = (query: string, signal: AbortSignal): Promise<Page<string>> =>
    new Promise((resolve, reject) => {
      const settle = async (work: () => void): Promise<void> => {
        work();
        await tick();
      };
      requests.push({
        query,
        signal,
        response: (...items) => settle(() => resolve({ items })),
        responseWithMore: (next, ...items) => settle(() => resolve({ items, next })),
        fail: (error) => settle(() => reject(error)),
      });
    });
  const part = (name: string): SearchPart<string> => ({
    heading: name,
    first: (search, signal) => ask(`${name} ${search}`.trim(), signal),
  });
  const list = createSearchList<string>({
    parts: [part('own'), part('others')],
    follow: ask,
    offered,
    keyOf: (item) => item,
    textOf: (item) => item,
    emptyText: 'nothing at all',
    after: (_, run) => {
      waiting.push(run);
      return () => {
        const at = waiting.indexOf(run);
        if (at !== -1) waiting.splice(at, 1);
      };
    },
  });
  const pause = (): void => {
    for (const run of waiting.splice(0)) run();
  };
  const last = (): PendingRequest => requests.at(-1) ?? assert.fail('no request was sent');
  return { list, requests, waiting, pause, last };
}

function shown(list: SearchList<string>): readonly string[] {
  return list.rows().map((row) => (row.kind === 'item' ? row.item : `${row.kind}: ${row.text}`));
}

const many = (name: string, count = 10): readonly string[] => Array.from({ length: count }, (_, at) => `${name}${at}`);

describe('a search list', () => {
  it('shows suggestions immediately, then own items, then others, without duplicates', async () => {
    const { list, last, requests } = stage(['pin']);
    list.start();
    assert.deepEqual(shown(list), ['pin']);
    assert.equal(list.isBusy(), true);
    await last().response('a', 'pin');
    assert.deepEqual(shown(list).slice(0, 3), ['pin', 'heading: own', 'a']);
    await last().response('b', 'a');
    assert.deepEqual(shown(list), ['pin', 'heading: own', 'a', 'heading: others', 'b']);
    assert.deepEqual(
      requests.map(({ query }) => query),
      ['own', 'others'],
    );
    assert.equal(list.isBusy(), false);
  });

  it('follows the links on "Load more", and continues with the next part', async () => {
    const { list, last, requests } = stage();
    list.start();
    await last().responseWithMore('link 2', ...many('a'));
    assert.deepEqual(shown(list).slice(-2), ['a9', 'more: Load more']);
    assert.equal(requests.length, 1, 'no further page was requested');
    list.loadMore();
    list.loadMore();
    assert.equal(last().query, 'link 2');
    assert.equal(requests.length, 2, 'it is loaded once');
    await last().response(...many('b'));
    assert.equal(shown(list).at(-1), 'more: Load more');
    list.loadMore();
    assert.equal(last().query, 'others');
    await last().response();
    assert.equal(shown(list).at(-1), 'b9');
    list.loadMore();
    assert.equal(requests.length, 3, 'there is no next page');
  });

  it('stops loading after several pages without new items', async () => {
    const { list, last, requests } = stage();
    list.start();
    await last().response('a');
    await last().responseWithMore('link 2', 'a');
    await last().responseWithMore('link 3', 'a');
    assert.equal(requests.length, 3);
    assert.deepEqual(shown(list), ['heading: own', 'a', 'more: Load more']);
  });

  it('searches once after typing stops, and cancels previous requests', async () => {
    const { list, last, requests, waiting, pause } = stage(['pier']);
    list.start();
    const [first] = requests;
    list.search('p');
    list.search('pi ');
    assert.equal(first?.signal.aborted, true);
    assert.equal(waiting.length, 1);
    assert.equal(requests.length, 1);
    pause();
    assert.equal(last().query, 'own pi');
    await first?.response('late');
    assert.deepEqual(shown(list).slice(0, 1), ['pier']);
    assert.ok(!shown(list).includes('late'));
    await last().response('pilot');
    await last().response('pike');
    assert.deepEqual(shown(list), ['heading: own', 'pilot', 'heading: others', 'pike']);
    list.search(' pi');
    assert.equal(waiting.length, 0, 'the results are already complete');
  });

  it('shows earlier results that match until the response arrives', async () => {
    const { list, last, pause } = stage(['Pier', 'lamp']);
    list.start();
    await last().response('pilot', 'rail');
    await last().response();
    list.search('PI');
    assert.deepEqual(shown(list), ['Pier', 'heading: own', 'pilot']);
    list.search('');
    pause();
    await last().response('rail');
    await last().response();
    assert.deepEqual(shown(list), ['Pier', 'lamp', 'heading: own', 'rail']);
  });

  it('shows that nothing matches or that the list is empty only after a response', async () => {
    const { list, last, pause } = stage();
    list.start();
    assert.deepEqual(shown(list), []);
    await last().response();
    assert.deepEqual(shown(list), []);
    await last().response();
    assert.deepEqual(shown(list), ['text: nothing at all']);
    list.search('x');
    assert.deepEqual(shown(list), []);
    pause();
    await last().response();
    await last().response();
    assert.deepEqual(shown(list), ['text: No results for “x”']);
  });

  it('shows a failure, keeps its items and retries at the same position', async () => {
    const { list, last } = stage();
    list.start();
    await last().responseWithMore('link 2', 'a');
    await last().fail(new ApiFailure('unreachable', 'it does not answer'));
    assert.deepEqual(shown(list), ['heading: own', 'a', 'text: it does not answer', 'more: Try Again']);
    assert.equal(list.isBusy(), false);
    list.loadMore();
    assert.equal(last().query, 'link 2');
    await last().response('b');
    await last().response();
    assert.deepEqual(shown(list), ['heading: own', 'a', 'b']);
  });

  it('retries a search from the first page', async () => {
    const { list, last, pause } = stage(['pin']);
    list.start();
    list.search('pi');
    pause();
    await last().fail(new ApiFailure('unreachable', 'it does not answer'));
    assert.deepEqual(shown(list), ['pin', 'text: it does not answer', 'more: Try Again']);
    list.loadMore();
    await last().response('pilot');
    await last().response();
    assert.deepEqual(shown(list), ['heading: own', 'pilot']);
  });

  it('cancels all requests when it is closed', async () => {
    const { list, last, waiting } = stage();
    list.start();
    list.dispose();
    assert.equal(last().signal.aborted, true);
    await last().fail(new Error('aborted'));
    list.search('x');
    list.dispose();
    assert.equal(waiting.length, 0);
  });
});
