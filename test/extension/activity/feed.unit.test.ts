import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { appearanceOf } from '../../../src/activity/appearance.ts';
import { formatAge } from '../../../src/support/ages.ts';
import { createFeed, type Feed, type FeedSource, type FeedState } from '../../../src/activity/model.ts';
import { createProjectNames } from '../../../src/activity/projects.ts';
import { type Client, createClient, type Page } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { ActivityEvent } from '../../../src/contract/activity.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { networkWithRule, fakeClock, json } from '../../support/extension/fakes.ts';
import { event } from './events.ts';

/** Events with these ids, newest first. */
const page = (ids: readonly number[], next?: string): Page<ActivityEvent> => ({
  items: ids.map((id) => event({ id })),
  ...(next === undefined ? {} : { next }),
});
const offline = new ApiFailure('unreachable', 'gitlab.example.com cannot be reached');

function source(responses: Readonly<Record<string, Page<ActivityEvent> | Error>>, key = 'one') {
  const requested: string[] = [];
  const given = { ...responses };
  const respond = async (link: string): Promise<Page<ActivityEvent>> => {
    requested.push(link);
    const next = given[link];
    if (next === undefined) throw new ApiFailure('notFound', `no ${link}`);
    if (next instanceof Error) throw next;
    return next;
  };
  const of: FeedSource = { key, first: () => respond('first'), follow: respond };
  const setState = (changes: Readonly<Record<string, Page<ActivityEvent> | Error>>): void => void Object.assign(given, changes);
  return { of, requested, setState };
}

function feedOf(of: FeedSource, now = fakeClock().now): Feed {
  const feed = createFeed(now);
  feed.setSource(of);
  return feed;
}

const shown = (feed: Feed) => {
  const state = feed.state();
  return state.kind === 'ready'
    ? { ids: state.events.map(({ id }) => id), next: state.next, problem: state.problem?.kind }
    : state.kind;
};

describe('feed', () => {
  it('the feed loads nothing before it is shown', () => {
    const { of, requested } = source({});
    assert.equal(feedOf(of).state().kind, 'idle');
    assert.deepEqual(requested, []);
  });

  it('the feed loads the first page once for concurrent calls', async () => {
    const { of, requested } = source({ first: page([3, 2, 1]) });
    const feed = feedOf(of);
    const looking = Promise.all([feed.ensureLoaded(), feed.refresh(), feed.ensureLoaded()]);
    assert.equal(feed.state().kind, 'loading');
    await looking;
    await feed.ensureLoaded();
    assert.deepEqual(shown(feed), { ids: [3, 2, 1], next: undefined, problem: undefined });
    assert.deepEqual(requested, ['first']);
  });

  it('the feed follows the links to the end and removes duplicates when pages shift', async () => {
    const { of, requested } = source({ first: page([5, 4], 'b'), b: page([4, 3], 'c'), c: page([2]) });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    await Promise.all([feed.loadMore(), feed.loadMore()]);
    await feed.loadMore();
    await feed.loadMore();
    assert.deepEqual(shown(feed), { ids: [5, 4, 3, 2], next: undefined, problem: undefined });
    assert.deepEqual(requested, ['first', 'b', 'c']);
  });

  it('the feed adds new events in front and keeps further pages', async () => {
    const { of, setState } = source({ first: page([5, 4], 'b'), b: page([3, 2], 'c') });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    await feed.loadMore();
    setState({ first: page([6, 5], 'b2') });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [6, 5, 4, 3, 2], next: 'c', problem: undefined });
  });

  it('the feed has no gap when there are more new events than one page', async () => {
    const { of, setState } = source({ first: page([5, 4], 'b'), b: page([3, 2], 'c') });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    await feed.loadMore();
    setState({ first: page([9, 8], 'b2') });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [9, 8], next: 'b2', problem: undefined });
  });

  it('the feed is empty when all events are deleted', async () => {
    const { of, setState } = source({ first: page([5, 4]) });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    setState({ first: page([]) });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [], next: undefined, problem: undefined });
  });

  it('the feed fails with the reason before the first response, and recovers', async () => {
    const { of, setState } = source({ first: offline });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    const failed = feed.state();
    assert.equal(failed.kind === 'failed' && failed.failure, offline);
    setState({ first: page([1]) });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [1], next: undefined, problem: undefined });
  });

  it('the feed keeps its events when a refresh or a further page fails, with the problem until one succeeds', async () => {
    const { of, setState } = source({ first: page([2, 1], 'b'), b: offline });
    const feed = feedOf(of);
    await feed.ensureLoaded();
    await feed.loadMore();
    assert.deepEqual(shown(feed), { ids: [2, 1], next: 'b', problem: 'unreachable' });
    setState({ first: offline });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [2, 1], next: 'b', problem: 'unreachable' });
    setState({ first: page([2, 1], 'b') });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [2, 1], next: 'b', problem: undefined });
  });

  it('the feed ignores responses for a previous list', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let given: AbortSignal | undefined;
    const slow: FeedSource = {
      key: 'slow',
      first: async (signal) => {
        given = signal;
        await gate;
        return page([1]);
      },
      follow: async () => page([]),
    };
    const feed = feedOf(slow);
    const loading = feed.ensureLoaded();
    feed.setSource(source({ first: page([2]) }, 'other').of);
    assert.equal(given?.aborted, true);
    release();
    await loading;
    assert.equal(feed.state().kind, 'idle');
    await feed.ensureLoaded();
    assert.deepEqual(shown(feed), { ids: [2], next: undefined, problem: undefined });
  });

  it('the feed continues with the same list under a new source', async () => {
    const feed = feedOf(source({ first: page([1]) }).of);
    await feed.ensureLoaded();
    const later = source({ first: page([2, 1]) });
    feed.setSource(later.of);
    assert.deepEqual(shown(feed), { ids: [1], next: undefined, problem: undefined });
    await feed.refresh();
    assert.deepEqual(shown(feed), { ids: [2, 1], next: undefined, problem: undefined });
  });

  it('the feed has the time of its events', async () => {
    const clock = fakeClock();
    const { of, setState } = source({ first: page([1]) });
    const feed = feedOf(of, clock.now);
    await feed.ensureLoaded();
    const first = clock.now();
    clock.advance(60_000);
    setState({ first: offline });
    await feed.refresh();
    const state = feed.state();
    assert.equal(state.kind === 'ready' && state.at, first, 'a failed refresh does not change it');
  });

  describe('with a cached response', () => {
    const storedOf = (ids: readonly number[], next?: string, all = ids): NonNullable<FeedSource['cached']> => {
      const events = page(ids).items;
      return async () => ({ at: 1_000, events, next, all: async () => page(all).items });
    };

    it('the feed shows a cached response immediately, then the new response', async () => {
      const gate = Promise.withResolvers<Page<ActivityEvent>>();
      const requested = Promise.withResolvers<void>();
      const first = async (): Promise<Page<ActivityEvent>> => {
        requested.resolve();
        return gate.promise;
      };
      const feed = feedOf({ key: 'one', first, follow: async () => page([]), cached: storedOf([2, 1], 'b') });
      const loading = feed.ensureLoaded();
      await requested.promise;
      const state = feed.state();
      assert.deepEqual(shown(feed), { ids: [2, 1], next: 'b', problem: undefined });
      assert.ok(state.kind === 'ready' && state.isCached && state.at === 1_000);
      gate.resolve(page([3, 2], 'b2'));
      await loading;
      assert.deepEqual(shown(feed), { ids: [3, 2, 1], next: 'b', problem: undefined });
      const after = feed.state();
      assert.ok(after.kind === 'ready' && !after.isCached);
    });

    it('the feed sends no request before a cached response is painted', async () => {
      const { of, requested } = source({ first: page([3]) });
      const painting = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const feed = createFeed(fakeClock().now, () => {
        begun.resolve();
        return painting.promise;
      });
      feed.setSource({ ...of, cached: storedOf([2, 1]) });
      const loading = feed.ensureLoaded();
      await begun.promise;
      assert.deepEqual([shown(feed), requested], [{ ids: [2, 1], next: undefined, problem: undefined }, []]);
      painting.resolve();
      await loading;
      assert.deepEqual(requested, ['first']);
    });

    it('the feed reads a cached response once without a request, and uses it when the list is loaded', async () => {
      const { of, requested } = source({ first: page([3, 2]) });
      let reads = 0;
      const read = storedOf([2, 1]);
      const cached: typeof read = () => {
        reads += 1;
        return read();
      };
      const feed = feedOf({ ...of, cached });
      await Promise.all([feed.showCached(), feed.showCached()]);
      assert.deepEqual([shown(feed), requested, reads], [{ ids: [2, 1], next: undefined, problem: undefined }, [], 1]);
      assert.equal(feed.showCached(), undefined);
      await feed.ensureLoaded();
      assert.deepEqual([shown(feed), requested, reads], [{ ids: [3, 2], next: undefined, problem: undefined }, ['first'], 1]);
    });

    it('the feed ignores a cached response of a previous list, and works without one', async () => {
      const { of } = source({}, 'other');
      const feed = feedOf({ ...of, key: 'one', cached: storedOf([2, 1]) });
      const reading = feed.showCached();
      feed.setSource(of);
      await reading;
      assert.deepEqual([shown(feed), feed.showCached()], ['idle', undefined]);
    });

    it('the feed continues to show a cached response, with its age, when requests fail', async () => {
      const feed = feedOf({
        key: 'one',
        first: () => Promise.reject(offline),
        follow: async () => page([]),
        cached: storedOf([2, 1]),
      });
      await feed.ensureLoaded();
      const state = feed.state();
      assert.ok(state.kind === 'ready' && state.isCached && state.at === 1_000);
      assert.equal(state.problem, offline);
    });

    it('the feed reads the rest of a long cached response before merging the new one', async () => {
      const rest = Promise.withResolvers<readonly ActivityEvent[]>();
      const responded = Promise.withResolvers<void>();
      const first = async (): Promise<Page<ActivityEvent>> => {
        responded.resolve();
        return page([4, 3]);
      };
      const cached = async () => ({ at: 1_000, events: page([3]).items, next: 'c', all: () => rest.promise });
      const feed = feedOf({ key: 'one', first, follow: async () => page([]), cached });
      const loading = feed.ensureLoaded();
      await responded.promise;
      await new Promise(setImmediate);
      rest.resolve(page([3, 2, 1]).items);
      await loading;
      assert.deepEqual(shown(feed), { ids: [4, 3, 2, 1], next: 'c', problem: undefined });
    });

    it('the feed reads the rest of a long cached response only after the request has ended', async () => {
      for (const response of [page([4, 3]), offline]) {
        let reads = 0;
        const requested = Promise.withResolvers<void>();
        const gate = Promise.withResolvers<Page<ActivityEvent>>();
        const first = async (): Promise<Page<ActivityEvent>> => {
          requested.resolve();
          return gate.promise;
        };
        const all = async (): Promise<readonly ActivityEvent[]> => {
          reads += 1;
          return page([3, 2, 1]).items;
        };
        const cached = async () => ({ at: 1_000, events: page([3]).items, next: 'c', all });
        const feed = feedOf({ key: 'one', first, follow: async () => page([]), cached });
        const loading = feed.ensureLoaded();
        await requested.promise;
        await new Promise(setImmediate);
        assert.equal(reads, 0);
        if (response instanceof Error) gate.reject(response);
        else gate.resolve(response);
        await loading;
        assert.equal(reads, 1);
        assert.deepEqual(idsOf(feed), response instanceof Error ? [3, 2, 1] : [4, 3, 2, 1]);
      }
    });

    it('the feed shows more of a cached response without a request, and what follows it after the running one', async () => {
      const newest = Promise.withResolvers<Page<ActivityEvent>>();
      const requested = Promise.withResolvers<void>();
      const followed: string[] = [];
      const first = async (): Promise<Page<ActivityEvent>> => {
        requested.resolve();
        return newest.promise;
      };
      const follow = async (link: string): Promise<Page<ActivityEvent>> => {
        followed.push(link);
        return page([0]);
      };
      const cached = async () => ({ at: 1_000, events: page([3]).items, next: 'c', all: async () => page([3, 2, 1]).items });
      const feed = feedOf({ key: 'one', first, follow, cached });
      void feed.ensureLoaded();
      await requested.promise;
      await feed.loadMore();
      assert.deepEqual([idsOf(feed), followed], [[3, 2, 1], []]);
      const more = feed.loadMore();
      newest.resolve(page([4, 3], 'b'));
      await more;
      assert.deepEqual([idsOf(feed), followed], [[4, 3, 2, 1, 0], ['c']]);
    });

    it('the feed does not treat the end of a truncated cached response as the end of the list', async () => {
      const of: FeedSource = { key: 'one', first: async () => page([3, 2], 'b'), follow: async () => page([]) };
      const feed = feedOf({ ...of, cached: storedOf([2, 1]) });
      await feed.ensureLoaded();
      assert.deepEqual(shown(feed), { ids: [3, 2], next: 'b', problem: undefined });
    });

    it('the feed caches only successful responses', async () => {
      const cached: (readonly number[])[] = [];
      const { of, setState } = source({ first: page([2, 1], 'b'), b: page([0]) });
      const feed = feedOf({ ...of, store: ({ events }) => cached.push(events.map(({ id }) => id)) });
      await feed.ensureLoaded();
      await feed.loadMore();
      setState({ first: offline });
      await feed.refresh();
      assert.deepEqual(cached, [
        [2, 1],
        [2, 1, 0],
      ]);
    });
  });

  it('the feed shows an internal error as a failure instead of loading forever', async () => {
    const feed = feedOf(source({ first: new TypeError('x is not a function') }).of);
    await feed.ensureLoaded();
    const state = feed.state();
    assert.equal(state.kind === 'failed' && state.failure.message, 'x is not a function');
  });
});

describe('appearance of an activity view', () => {
  const account = { id: 7, username: 'ana', name: 'Ana Novak' };
  const signedIn: ConnectionState = { instance: localInstance('data-1'), kind: 'signedIn', account, sessionId: 's' };
  const subject = { text: '@ana', ifEmpty: 'empty' } as const;
  const moment = { now: 5 * 60_000 + 7, locale: 'en' };

  it('the appearance of an activity view shows welcome texts and the instance until an account is signed in', () => {
    for (const kind of ['serverStopped', 'serverStarting', 'serverStopping', 'signedOut'] as const) {
      const appearance = appearanceOf({ instance: localInstance('data-1'), kind }, { kind: 'idle' }, subject, moment);
      assert.deepEqual(appearance, { state: 'idle', description: 'Managed server', message: '' });
    }
  });

  it('the appearance of an activity view says that the instance has ended the sign-in, above the rows with their age or in place of them', () => {
    const ended: ConnectionState = { instance: localInstance('data-1'), kind: 'signedOut', ended: account };
    const text = 'Managed server no longer accepts the sign-in of @ana. Sign in again.';
    const failure = new ApiFailure('signedOut', 'no');
    const loaded = { kind: 'ready', next: undefined, at: 0, isCached: false } as const;
    const stale = { state: 'ready', description: '@ana', message: `Last updated 5 minutes ago. ${text}` };
    for (const problem of [undefined, failure])
      assert.deepEqual(appearanceOf(ended, { ...loaded, events: [event()], problem }, subject, moment), stale);
    const none = { state: 'signedOut', description: text, message: '' };
    assert.deepEqual(appearanceOf(ended, { ...loaded, events: [], problem: failure }, subject, moment), none);
    assert.deepEqual(appearanceOf(ended, { kind: 'failed', failure }, subject, moment), none);
  });

  it('the appearance of an activity view shows the reason of a failed server', () => {
    const failed: ConnectionState = {
      instance: localInstance('data-1'),
      kind: 'serverFailed',
      text: 'Port 4000 is taken',
      hint: '',
    };
    assert.equal(appearanceOf(failed, { kind: 'idle' }, subject, moment).description, 'Port 4000 is taken');
  });

  it('the appearance of an activity view asks for a project first', () => {
    assert.equal(appearanceOf(signedIn, { kind: 'idle' }, 'missing', moment).state, 'noProject');
  });

  it('the appearance of an activity view is empty, ready, or failed by kind, with the reason', () => {
    const of = (events: readonly ActivityEvent[], problem?: ApiFailure, isCached = false) =>
      appearanceOf(signedIn, { kind: 'ready', events, next: undefined, at: 0, isCached, problem }, subject, moment);
    assert.deepEqual(of([]), { state: 'empty', description: '@ana', message: '' });
    assert.deepEqual(of([event()]), { state: 'ready', description: '@ana', message: '' });
    assert.equal(of([event()], undefined, true).message, 'Last updated 5 minutes ago');
    assert.equal(of([event()], offline).message, 'Offline. Last updated 5 minutes ago. gitlab.example.com cannot be reached');
    const tooMany = new ApiFailure('rateLimited', 'Retry later');
    assert.equal(of([event()], tooMany).message, 'Last updated 5 minutes ago. Retry later');
    const failed = appearanceOf(signedIn, { kind: 'failed', failure: offline }, subject, moment);
    assert.deepEqual(failed, { state: 'unreachable', description: 'gitlab.example.com cannot be reached', message: '' });
    assert.deepEqual(of([], undefined, true), of([]), 'a message would hide the welcome text');
    assert.deepEqual(of([], offline, true), failed);
  });

  it('the appearance of an activity view shows the end of a pause and whether the rows are outdated', () => {
    const now = Date.UTC(2026, 10, 20, 12);
    const at = (until: number, kind: 'refused' | 'sparing' = 'refused') => ({ now, locale: 'en', rest: { kind, until } });
    const time = (until: number, timeStyle: 'short' | 'medium'): string =>
      new Date(until).toLocaleTimeString('en', { timeStyle });
    const ready = { kind: 'ready', events: [event()], next: undefined, at: now - 60_000 } as const;
    const tooMany = new ApiFailure('rateLimited', 'Retry later');
    const later = now + 10 * 60_000;
    const message = (state: FeedState, moment: Parameters<typeof appearanceOf>[3]): string =>
      appearanceOf(signedIn, state, subject, moment).message;
    const refused = `Rate limit reached. Next refresh at ${time(later, 'short')}.`;
    assert.equal(message({ ...ready, isCached: false, problem: tooMany }, at(later)), `Last updated 1 minute ago. ${refused}`);
    assert.equal(message({ ...ready, isCached: true, problem: undefined }, at(later)), `Last updated 1 minute ago. ${refused}`);
    assert.equal(message({ ...ready, isCached: false, problem: undefined }, at(later)), refused, 'another view was rejected');
    const soon = now + 30_000;
    assert.equal(
      message({ ...ready, isCached: false, problem: undefined }, at(soon, 'sparing')),
      `Rate limit almost reached. Next refresh at ${time(soon, 'medium')}.`,
    );
    assert.equal(
      message({ ...ready, isCached: false, problem: offline }, at(later)),
      'Offline. Last updated 1 minute ago. gitlab.example.com cannot be reached',
    );
    const failed = appearanceOf(signedIn, { kind: 'failed', failure: tooMany }, subject, at(later));
    assert.deepEqual(failed, { state: 'rateLimited', description: refused, message: '' });
  });

  it('the appearance of an activity view shows why it is empty', () => {
    const none: FeedState = { kind: 'ready', events: [], next: undefined, at: 0, isCached: false, problem: undefined };
    const filtered = { text: '@ana · pushes', ifEmpty: 'emptyFiltered' } as const;
    const appearance = appearanceOf(signedIn, none, filtered, moment);
    assert.deepEqual(appearance, { state: 'emptyFiltered', description: '@ana · pushes', message: '' });
  });

  it('the appearance of an activity view formats an age in whole units', () => {
    const minute = 60_000;
    const ages = [0, minute - 1, minute, 59 * minute, 60 * minute, 25 * 60 * minute, 3 * 24 * 60 * minute];
    const texts = ['1 second ago', '59 seconds ago', '1 minute ago', '59 minutes ago', '1 hour ago', 'yesterday', '3 days ago'];
    assert.deepEqual(
      ages.map((age) => formatAge(age, 'en')),
      texts,
    );
  });
});

describe('names of projects', () => {
  const project = (id: number) => ({
    id,
    name: `p${id}`,
    path_with_namespace: `signals/p${id}`,
    web_url: `https://gitlab.example.com/signals/p${id}`,
  });

  function names(response: (path: string) => ReturnType<typeof json>) {
    const network = networkWithRule(({ url }) => response(new URL(url).pathname.slice('/api/v4'.length)));
    const { now, sleep } = fakeClock();
    const credentials = { token: async () => 'access', renewed: async () => undefined };
    const client: Client = createClient({ baseUrl: 'https://gitlab.example.com', send: network.send, credentials, now, sleep });
    return { names: createProjectNames(client), requested: () => network.requests.map(({ url }) => new URL(url).pathname) };
  }

  it('names of projects come from one list, and from single requests only for the rest', async () => {
    const { names: known, requested } = names((path) =>
      path === '/projects' ? json(200, [project(1), project(2)]) : json(200, project(3)),
    );
    assert.equal(await known.learn([1, 2, 3, 2]), true);
    assert.equal(await known.learn([1, 2, 3]), false);
    assert.deepEqual(requested(), ['/api/v4/projects', '/api/v4/projects/3']);
    assert.equal(known.get(3)?.path_with_namespace, 'signals/p3');
  });

  it('a name that is already being requested is waited for', async () => {
    let second: Promise<string | undefined> | undefined;
    const { names: known, requested } = names((path) => {
      if (path === '/projects') return json(200, []);
      second = known.learn([3]).then(() => known.get(3)?.name);
      return json(200, project(3));
    });
    await known.learn([3]);
    assert.equal(await second, 'p3');
    assert.equal(requested().length, 2);
  });

  it('names of projects are requested once when a project is deleted or hidden', async () => {
    const { names: known, requested } = names((path) =>
      path === '/projects' ? json(200, []) : json(404, { message: '404 Project Not Found' }),
    );
    assert.equal(await known.learn([9]), false);
    assert.equal(await known.learn([9]), false);
    assert.equal(requested().length, 2);
  });

  it('names of projects are requested again after a temporary failure', async () => {
    let isUp = false;
    const { names: known } = names((path) =>
      !isUp ? json(500, {}) : path === '/projects' ? json(200, []) : json(200, project(9)),
    );
    assert.equal(await known.learn([9]), false);
    isUp = true;
    assert.equal(await known.learn([9]), true);
  });
});

function idsOf(feed: Feed): readonly number[] {
  const state = feed.state();
  return state.kind === 'ready' ? state.events.map(({ id }) => id) : [];
}
