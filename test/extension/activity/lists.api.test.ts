import assert from 'node:assert/strict';
import { actions, targetFilters } from '../../../server/features/activity/rules.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { DAY } from '../../../server/core/clock.ts';
import { commentOnIssue, createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import type { ActivityScope } from '../../../src/activity/choices.ts';
import type { ChosenProject } from '../../../src/activity/chosenProject.ts';
import { describeEvent } from '../../../src/activity/describe.ts';
import { loadIssue } from '../../../src/activity/documentLoad.ts';
import { issueDocument } from '../../../src/activity/documentText.ts';
import { type ActivityFilter, filterActions, filterTargets, NO_FILTER } from '../../../src/activity/filter.ts';
import { findEvent } from '../../../src/activity/findEvent.ts';
import { type ListAddress, listOfPerson, listOfProject } from '../../../src/activity/lists.ts';
import { mergedList } from '../../../src/activity/mergedList.ts';
import { createPersonList, type Person } from '../../../src/activity/person.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { readActivityEvent } from '../../../src/contract/activity.ts';
import { sleep } from '../../../src/support/sleep.ts';
import type { SearchList } from '../../../src/ui/searchList.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const CLOCK = Date.UTC(2026, 4, 10, 12);
const MINE: ActivityScope = { kind: 'mine' };

for (const dialect of ['documented', 'observed'] as const) {
  describe(`the lists that the views ask for, dialect ${dialect}`, () => {
    let server: TestServer;
    let ada: Actor;
    let bob: Actor;
    let project: ChosenProject;

    before(async () => {
      server = await startTestServer({ profile: { dialect } });
      const { platform } = server;
      platform.clock.freeze(CLOCK - 3 * DAY);
      ada = actor(platform, 'ada');
      bob = actor(platform, 'bob');
      const found = projectWith(platform, ada, { name: 'Lamps', visibility: 'private' }, [[bob, 30]]);
      project = { id: found.project.id, path: found.project.full_path };
      const issue = createIssue(platform, found, ada.user, { title: 'Lamp 7 stays dark' });
      platform.clock.freeze(CLOCK);
      commentOnIssue(platform, found, issue, ada.user, { body: 'The fuse is blown.' });
      updateIssue(platform, found, issue, ada.user, { stateEvent: 'close' });
      const refs = ['a', 'b', 'c', 'd'].map((ref) => ({
        ref,
        refType: 'branch' as const,
        action: 'pushed' as const,
        commitFrom: '1'.repeat(40),
        commitTo: '2'.repeat(40),
        commitCount: 1,
        commitTitle: 'Replace the fuse',
      }));
      platform.changes.publish({ kind: 'refsPushed', projectId: project.id ?? 0, authorId: ada.user.id, refs });
    });
    after(() => server.close());

    function clientOf({ token }: Actor): Client {
      const credentials = { token: async () => token, renewed: async () => undefined };
      return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
    }

    async function labels(who: Actor, { path, queries }: ListAddress): Promise<readonly string[]> {
      const client = clientOf(who);
      const list = mergedList(
        queries.map((query) => (signal) => client.list(path, readActivityEvent, query, signal)),
        (link, signal) => client.follow(link, readActivityEvent, signal),
      );
      const { items } = await list.first(new AbortController().signal);
      return items.map((event) => describeEvent(event, 'en').label);
    }

    const now = new Date(2026, 4, 10, 12);
    const filter = (changes: Partial<ActivityFilter>): ActivityFilter => ({ ...NO_FILTER, ...changes });
    const ofToday = ['Pushed to 4 branches', 'Closed #1 Lamp 7 stays dark', 'Commented on #1 Lamp 7 stays dark'];
    const whole = [...ofToday, 'Opened #1 Lamp 7 stays dark', 'Created the project'];

    it('the lists of the views contain own activity', async () => {
      assert.deepEqual(await labels(ada, listOfPerson(MINE, NO_FILTER, now)), whole);
      assert.deepEqual(await labels(bob, listOfPerson(MINE, NO_FILTER, now)), ['Joined the project']);
    });

    it('the lists of the views contain the activity in own projects', async () => {
      const all = await labels(bob, listOfPerson({ kind: 'all' }, NO_FILTER, now));
      assert.deepEqual(all.toSorted(), [...whole, 'Joined the project'].toSorted());
    });

    it('the lists of the views contain the activity of a user, found by name or username ignoring case', async () => {
      createUser(server.platform, { username: 'lamplighter7', name: 'Grace Hopper', email: 'grace@example.com' });
      const found = async (text: string): Promise<readonly Person[]> => {
        const list = createPersonList(clientOf(bob), [], (_, run) => {
          const soon = setImmediate(run);
          return () => clearImmediate(soon);
        });
        await idle(list, list.start);
        assert.deepEqual(list.rows(), [{ kind: 'text', text: 'Type a name or username' }]);
        await idle(list, () => list.search(text));
        return list.rows().flatMap((row) => (row.kind === 'item' ? [row.item] : []));
      };
      for (const text of ['hopper', 'grace hop', '@LampLighter', 'lamplighter7'])
        assert.deepEqual(
          (await found(text)).map(({ name }) => name),
          ['Grace Hopper'],
          text,
        );
      assert.deepEqual(await found('nobody'), []);
      const [person] = await found('ADA');
      assert.ok(person !== undefined);
      const scope: ActivityScope = { kind: 'person', id: person.id, username: person.username };
      assert.deepEqual(await labels(bob, listOfPerson(scope, NO_FILTER, now)), whole);
    });

    it('the lists of the views contain the activity of a project, by id or path', async () => {
      const byNumber = await labels(bob, listOfProject(project, NO_FILTER, now));
      assert.equal(byNumber.length, whole.length + 1);
      assert.deepEqual(await labels(bob, listOfProject({ ...project, id: undefined }, NO_FILTER, now)), byNumber);
    });

    it('the lists of the views lead to the document of an issue with its comments, and to each event by its id', async () => {
      const client = clientOf(bob);
      const { text } = issueDocument(await loadIssue(client, project.id ?? 0, 1), undefined, 'en');
      assert.match(text, /^# #1 Lamp 7 stays dark\n\nclosed · /);
      assert.match(text, /\n\nThe fuse is blown\.\n/);

      const { items } = await clientOf(ada).list('/events', readActivityEvent, {});
      const oldest = items.at(-1);
      assert.ok(oldest !== undefined);
      assert.deepEqual((await findEvent(client, oldest.id))?.created_at, oldest.created_at);
      assert.equal(await findEvent(client, 999_999), undefined);
    });

    it('the lists of the views contain the events that match the filter', async () => {
      const filtered = (changes: Partial<ActivityFilter>) => labels(ada, listOfPerson(MINE, filter(changes), now));
      assert.deepEqual(await filtered({ actions: ['commented'] }), [ofToday[2]]);
      assert.deepEqual(await filtered({ actions: ['pushed'] }), [ofToday[0]]);
      assert.deepEqual(await filtered({ targets: ['issue'] }), [ofToday[1], whole[3]]);
      assert.deepEqual(await filtered({ dates: { kind: 'last', days: 1 } }), ofToday);
      assert.deepEqual(await filtered({ dates: { kind: 'last', days: 7 } }), whole);
      const earlier = { kind: 'between', first: '2026-05-07', last: '2026-05-09' } as const;
      assert.deepEqual(await filtered({ dates: earlier }), whole.slice(3));
      assert.deepEqual(await filtered({ actions: ['created'], targets: ['issue'], dates: earlier }), [whole[3]]);
    });

    it('the lists of the views contain the events that match one of several actions and types, newest first', async () => {
      const filtered = (changes: Partial<ActivityFilter>) => labels(ada, listOfPerson(MINE, filter(changes), now));
      assert.deepEqual(await filtered({ actions: ['commented', 'closed', 'pushed'] }), ofToday);
      assert.deepEqual(await filtered({ actions: ['created', 'closed'], targets: ['issue', 'project'] }), [
        ...[ofToday[1], whole[3]],
        ...(await filtered({ actions: ['created'], targets: ['project'] })),
      ]);
    });

    it('the lists of the views accept every value of the filter', async () => {
      for (const action of filterActions) await labels(ada, listOfPerson(MINE, filter({ actions: [action] }), now));
      for (const target of filterTargets) await labels(ada, listOfPerson(MINE, filter({ targets: [target] }), now));
      assert.deepEqual([...filterActions].sort(), [...actions].sort());
      assert.deepEqual(
        filterTargets.filter((target) => !targetFilters.includes(target)),
        [],
      );
    });
  });
}

/** Does something that makes a list search, and waits until it is idle. */
function idle(list: SearchList<Person>, work: () => void): Promise<void> {
  return new Promise((resolve) => {
    const subscription = list.onDidChange(() => {
      if (list.isBusy()) return;
      subscription.dispose();
      resolve();
    });
    work();
  });
}
