import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Page } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { MailBasic } from '../../../src/contract/mail.ts';
import { createMailbox, type MailSource } from '../../../src/mailbox/model.ts';
import { mail } from './mails.ts';

/** Server with changeable pages and its requests. */
function fakeSource(pages: readonly (readonly MailBasic[])[] = [[mail()]], key = 'account/all/') {
  const requested: string[] = [];
  const server = { pages, unread: 1, error: undefined as Error | undefined };
  const page = (at: number): Page<MailBasic> => ({
    items: server.pages[at] ?? [],
    ...(at + 1 < server.pages.length ? { next: String(at + 1) } : {}),
  });
  const request = async <T>(what: string, response: () => T): Promise<T> => {
    requested.push(what);
    if (server.error !== undefined) throw server.error;
    return response();
  };
  const source: MailSource = {
    key,
    account: key.split('/')[0] ?? '',
    first: () => request('first', () => page(0)),
    follow: (link) => request(`page ${link}`, () => page(Number(link))),
    unread: () => request('unread', () => ({ count: server.unread, isMore: false })),
  };
  return { source, requested, server };
}

const ids = (box: ReturnType<typeof createMailbox>): readonly number[] => {
  const state = box.state();
  return state.kind === 'ready' ? state.mails.map(({ id }) => id) : [];
};

describe('the mailbox', () => {
  it('counts unread mails without loading the list', async () => {
    const { source, requested } = fakeSource();
    const box = createMailbox();
    box.setSource(source);
    assert.equal(await box.count(), undefined);
    assert.deepEqual(requested, ['unread']);
    assert.equal(box.unread().count, 1);
    assert.equal(box.state().kind, 'idle');
  });

  it('loads further pages on request, and all shown pages again on a refresh', async () => {
    const { source, requested, server } = fakeSource([[mail({ id: 9 })], [mail({ id: 8 })], [mail({ id: 7 })]]);
    const box = createMailbox();
    box.setSource(source);
    await box.refresh();
    assert.deepEqual(ids(box), [9]);
    await box.loadMore();
    assert.deepEqual(ids(box), [9, 8]);
    server.pages = [[mail({ id: 10 })], [mail({ id: 9 })], [mail({ id: 8 })]];
    requested.length = 0;
    await box.refresh();
    assert.deepEqual(ids(box), [10, 9]);
    assert.deepEqual(requested, ['first', 'unread', 'page 1']);
    await box.loadMore();
    await box.loadMore();
    assert.deepEqual(ids(box), [10, 9, 8]);
  });

  it('shows a mail once that appears on two pages', async () => {
    const { source } = fakeSource([
      [mail({ id: 9 }), mail({ id: 8 })],
      [mail({ id: 8 }), mail({ id: 7 })],
    ]);
    const box = createMailbox();
    box.setSource(source);
    await box.refresh();
    await box.loadMore();
    assert.deepEqual(ids(box), [9, 8, 7]);
  });

  it('shows a change at once, and counts a mail that was read only once', async () => {
    const { source, server } = fakeSource([[mail({ id: 9 }), mail({ id: 8 })]]);
    server.unread = 2;
    const box = createMailbox();
    box.setSource(source);
    await box.refresh();
    box.setRead(9, true);
    box.setRead(9, true);
    assert.equal(box.unread().count, 1);
    box.remove(8);
    assert.equal(box.unread().count, 0);
    assert.deepEqual(ids(box), [9]);
    box.setRead(9, false);
    assert.equal(box.unread().count, 1);
    box.setAllRead();
    assert.equal(box.unread().count, 0);
  });

  it('does not show a response that was requested before a change', async () => {
    const { source, server } = fakeSource();
    const gate = Promise.withResolvers<void>();
    let isFirst = true;
    const box = createMailbox();
    box.setSource({
      ...source,
      first: async (signal) => {
        const response = await source.first(signal);
        if (!isFirst) return response;
        isFirst = false;
        await gate.promise;
        return response;
      },
    });
    const slow = box.refresh();
    box.remove(7);
    server.pages = [[]];
    gate.resolve();
    await slow;
    assert.deepEqual(ids(box), []);
  });

  it('keeps its mails when the server does not respond, with the failure', async () => {
    const { source, server } = fakeSource();
    const box = createMailbox();
    box.setSource(source);
    const failure = new ApiFailure('unreachable', 'gone');
    server.error = failure;
    assert.equal(await box.refresh(), failure);
    assert.deepEqual(box.state(), { kind: 'failed', failure });
    server.error = undefined;
    assert.equal(await box.refresh(), undefined);
    server.error = failure;
    await box.refresh();
    const state = box.state();
    assert.ok(state.kind === 'ready' && state.problem === failure && state.mails.length === 1);
    assert.equal(await box.count(), failure);
    assert.equal(box.unread().count, 1);
  });

  it('discards mails and pending responses when the list changes, and the number of unread ones with the account', async () => {
    const box = createMailbox();
    box.setSource(fakeSource().source);
    await box.refresh();
    const late = box.refresh();
    box.setSource(fakeSource([[]], 'account/unread/').source);
    await late;
    assert.deepEqual(box.state(), { kind: 'idle' });
    assert.equal(box.unread().count, 1);
    box.setSource(fakeSource([[]], 'other/all/').source);
    assert.equal(box.unread().count, 0);
    box.setSource(undefined);
    assert.equal(await box.refresh(), undefined);
    assert.deepEqual(box.state(), { kind: 'idle' });
  });
});
