import { createAnswerCache } from '../../src/activity/cache.ts';
import { createFeed, type FeedState } from '../../src/activity/model.ts';
import { type ActivityRow, rowsOf } from '../../src/activity/rows.ts';

// One opening of an activity view without an editor around it: what is kept on disk becomes the rows that are painted first, while the
// instance does not answer. Prints one line of JSON and ends. Arguments: folder of the cache, account, list.
const [folder = '', account = '', list = ''] = process.argv.slice(2);
const silent = (): void => undefined;
const cache = createAnswerCache(folder, { debug: silent, info: silent, warn: silent, error: silent });
const never = new Promise<never>(silent);

const started = performance.now();
const feed = createFeed(Date.now);
const isRead = Promise.withResolvers<void>();
feed.setSource({
  key: list,
  first: () => {
    isRead.resolve();
    return never;
  },
  follow: () => never,
  kept: async () => (await cache.read(account, list))?.answer,
});
void feed.ensureLoaded();
await isRead.promise;
const rows = rowsOf(feed.state(), {
  prefix: list,
  tells: 'project',
  project: () => undefined,
  isUnread: () => false,
  most: 100,
  now: new Date(),
  locale: 'en',
  words: { today: 'Today', yesterday: 'Yesterday', unread: 'New' },
});
const milliseconds = performance.now() - started;
const eventRows = rows.flatMap((row: ActivityRow) => (row.kind === 'day' ? row.rows : [])).length;
const state: FeedState['kind'] = feed.state().kind;
process.stdout.write(`${JSON.stringify({ milliseconds, eventRows, state })}\n`, () => process.exit(0));
