import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { createCallList } from '../../../src/deprecations/model.ts';
import { type CallSource, createCallSource } from '../../../src/deprecations/source.ts';

describe('the list of deprecated calls', () => {
  const sourceOf = (calls: CallSource['calls'], key = 'a'): CallSource => ({ key, label: 'Harbour', isOfAll: false, calls });

  it('says that an instance does not record calls', async () => {
    const list = createCallList(() => '20.0');
    list.setSource(sourceOf(async () => undefined));
    assert.equal(await list.refresh(), true);
    assert.deepEqual(list.state(), { kind: 'unrecorded', label: 'Harbour' });
  });

  it('keeps the calls after a failure, and discards them with the account', async () => {
    let fails = false;
    const list = createCallList(() => '20.0');
    const calls = async () => {
      if (fails) throw new Error('down');
      return [];
    };
    list.setSource(sourceOf(calls));
    await list.refresh();
    fails = true;
    assert.equal(await list.refresh(), false);
    assert.partialDeepStrictEqual(list.state(), { kind: 'ready', calls: [], problem: new Error('down') });
    list.setSource(sourceOf(calls, 'b'));
    assert.deepEqual(list.state(), { kind: 'idle' });
  });

  it('ignores a response about a release that is no longer selected', async () => {
    let release: Release = '19.0';
    const waiting = Promise.withResolvers<[]>();
    const list = createCallList(() => release);
    list.setSource(sourceOf((asked) => (asked === '19.0' ? waiting.promise : Promise.resolve([]))));
    const first = list.refresh();
    release = '20.0';
    waiting.resolve([]);
    await first;
    assert.deepEqual(list.state(), { kind: 'idle' });
    await list.refresh();
    assert.deepEqual(list.state(), { kind: 'ready', calls: [], release: '20.0' });
  });

  it('ignores a response that was overtaken by a later one', async () => {
    const responses = [Promise.withResolvers<[] | undefined>(), Promise.withResolvers<[] | undefined>()];
    const list = createCallList(() => '20.0');
    let asked = -1;
    list.setSource(sourceOf(async () => responses[(asked += 1)]?.promise));
    const requests = [list.refresh(), list.refresh()];
    responses[1]?.resolve([]);
    await requests[1];
    responses[0]?.resolve(undefined);
    await requests[0];
    assert.equal(list.state().kind, 'ready');
  });
});

describe('the source of deprecated calls', () => {
  const instance = { kind: 'remote', key: 'https://gitlab.example.com', label: 'gitlab.example.com', clientId: 'abc' } as const;
  const account = { id: 7, username: 'ada', name: 'Ada' };

  it('an instance without the resource records no calls; other failures are reported', async () => {
    for (const [status, expected] of [
      [404, undefined],
      [503, 'failed'],
    ] as const) {
      const client = createClient({
        baseUrl: instance.key,
        send: async () => ({ status, headers: new Map(), body: '{"message":"404 Not Found"}' }),
        credentials: { token: async () => 'token', renewed: async () => undefined },
        now: Date.now,
        sleep: async () => undefined,
      });
      const source = createCallSource({
        connection: {
          state: () => ({ kind: 'signedIn', instance, account, sessionId: '1' }),
          bound: () => ({ client: () => client }),
        },
        emulation: { current: () => undefined },
        control: async () => undefined,
      })();
      assert.equal(source?.isOfAll, false);
      assert.equal(await source?.calls('20.0').catch(() => 'failed'), expected);
    }
  });
});
