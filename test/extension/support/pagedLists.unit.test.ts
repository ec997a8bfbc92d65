import assert from 'node:assert/strict';
import { createFeed } from '../../../src/activity/model.ts';
import type { Page } from '../../../src/api/client.ts';
import { createErrorList } from '../../../src/errorTracking/model.ts';
import { createMailbox } from '../../../src/mailbox/model.ts';

/** Elements per page. */
const PAGE = 3;

/** An instance whose list grows at its top, and whose responses wait until they are released. */
function instance() {
  let ids: readonly number[] = Array.from({ length: 12 }, (_, at) => 12 - at);
  let waiting: readonly (() => void)[] = [];
  const page = (below: number): Page<{ readonly id: number }> => {
    const rest = ids.filter((id) => id < below);
    const items = rest.slice(0, PAGE).map((id) => ({ id }));
    return { items, ...(rest.length > PAGE ? { next: String(items.at(-1)?.id) } : {}) };
  };
  /** The response has what the instance has when it receives the request. */
  function respond<T>(value: T): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    waiting = [...waiting, () => resolve(value)];
    return promise;
  }
  return {
    ids: () => ids,
    grow: () => {
      const newest = ids[0] ?? 0;
      ids = [...Array.from({ length: 10 }, (_, at) => newest + 10 - at), ...ids];
    },
    first: () => respond(page(Number.POSITIVE_INFINITY)),
    follow: (link: string) => respond(page(Number(link))),
    respond,
    /** Releases all responses, the latest first or last, until nothing is requested any more. */
    settle: async (isLatestFirst: boolean): Promise<void> => {
      for (let idle = 0; idle < 3; ) {
        const released = isLatestFirst ? waiting.at(-1) : waiting[0];
        waiting = waiting.filter((one) => one !== released);
        released?.();
        idle = released === undefined ? idle + 1 : 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

type Instance = ReturnType<typeof instance>;

interface List {
  readonly shown: () => readonly number[];
  readonly operations: Readonly<Record<string, () => unknown>>;
}

/** The lists under test, whose elements need no other members than their ID. */
const lists: Readonly<Record<string, (from: Instance) => List>> = {
  'the activity': (from) => {
    const feed = createFeed(Date.now);
    const source = { key: 'list', first: from.first, follow: from.follow };
    feed.setSource(source as never);
    const shown = (): readonly number[] => {
      const state = feed.state();
      return state.kind === 'ready' ? state.events.map(({ id }) => id) : [];
    };
    return {
      shown,
      operations: { refresh: feed.refresh, loadMore: feed.loadMore, sameSource: () => feed.setSource(source as never) },
    };
  },
  'the tracked errors': (from) => {
    const list = createErrorList(Date.now);
    const pageOf = ({ items, next }: Page<{ readonly id: number }>) => ({ items, next, isDisabled: false, abilities: {} });
    const source = {
      list: async () => pageOf(await from.first()),
      follow: async (_: unknown, link: string) => pageOf(await from.follow(link)),
    };
    const ofList = { key: 'list', query: {}, source: () => source };
    list.setSource(ofList as never);
    const shown = (): readonly number[] => {
      const state = list.state();
      return state.kind === 'ready' ? state.errors.map(({ id }) => Number(id)) : [];
    };
    const { refresh, refreshAfterChange, loadMore } = list;
    return { shown, operations: { refresh, refreshAfterChange, loadMore, sameSource: () => list.setSource(ofList as never) } };
  },
  'the mailbox': (from) => {
    const list = createMailbox();
    const unread = (): Promise<unknown> => from.respond({ count: 0, isMore: false });
    const source = { key: 'list', account: 'one', first: from.first, follow: from.follow, unread };
    list.setSource(source as never);
    const shown = (): readonly number[] => {
      const state = list.state();
      return state.kind === 'ready' ? state.mails.map(({ id }) => id) : [];
    };
    const { refresh, loadMore, count } = list;
    return {
      shown,
      operations: {
        ...{ refresh, loadMore, count, setAllRead: list.setAllRead, sameSource: () => list.setSource(source as never) },
        setRead: () => list.setRead(11, true),
      },
    };
  },
};

for (const [name, create] of Object.entries(lists)) {
  const { operations } = create(instance());
  for (const one of Object.keys(operations))
    for (const other of Object.keys(operations))
      for (const isLatestFirst of [false, true])
        it(`no element of ${name} is missing or repeated after ${one} beside ${other}, ${isLatestFirst ? 'the latest response first' : 'responses in order'}`, async () => {
          const from = instance();
          const list = create(from);
          for (const begin of ['refresh', 'loadMore']) {
            list.operations[begin]?.();
            await from.settle(false);
          }
          assert.deepEqual(list.shown(), [12, 11, 10, 9, 8, 7]);
          from.grow();
          list.operations[one]?.();
          from.grow();
          list.operations[other]?.();
          await from.settle(isLatestFirst);
          list.operations['loadMore']?.();
          await from.settle(isLatestFirst);
          const shown = list.shown();
          const begin = from.ids().indexOf(shown[0] ?? 0);
          assert.deepEqual(shown, from.ids().slice(begin, begin + shown.length));
          assert.ok(shown.length > 0);
        });
}

describe('a change of the mailbox', () => {
  it('a change of the mailbox during a request is not lost by its response', async () => {
    const from = instance();
    const list = createMailbox();
    const read = new Set<number>();
    const mails = async (page: Promise<Page<{ readonly id: number }>>) => {
      const seen = new Set(read);
      const { items, ...rest } = await page;
      return { ...rest, items: items.map(({ id }) => ({ id, read: seen.has(id) })) };
    };
    const source = {
      ...{ key: 'list', account: 'one', first: () => mails(from.first()), follow: (link: string) => mails(from.follow(link)) },
      unread: () => from.respond({ count: 12 - read.size, isMore: false }),
    };
    list.setSource(source as never);
    void list.refresh();
    await from.settle(false);
    for (const load of [list.refresh, list.loadMore]) {
      void load();
      read.add(11);
      list.setRead(11, true);
      await from.settle(false);
      assert.equal(list.find(11)?.read, true);
    }
    assert.equal(list.unread().count, 11);
  });
});
