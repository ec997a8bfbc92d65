import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import type { HookContainer } from '../../../server/features/hooks/store.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type HookReceiver, type HookReceiverOptions, startHookReceiver } from '../../support/hookReceiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

/** More hooks than any project or group may call at the same time. */
const MANY = 8;

describe('shares of hooks in the sending of deliveries', () => {
  let server: TestServer;
  let ada: Actor;
  let silent: HookReceiver;
  let good: HookReceiver;
  const closing: HookReceiver[] = [];
  const receive = async (options: HookReceiverOptions = {}): Promise<HookReceiver> => {
    const made = await startHookReceiver(options);
    closing.push(made);
    return made;
  };
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    silent = await receive({ respond: () => undefined });
    good = await receive();
  });
  afterEach(async () => {
    await server.close();
    for (const one of closing.splice(0)) await one.close();
  });

  const project = (path: string): FoundProject => projectWith(server.platform, ada, { name: path, path });
  const hook = (container: HookContainer, { url }: HookReceiver): number =>
    createHook(server.platform, container, { url, events: { issues_events: true } }).id;
  const hooks = (container: HookContainer, receiver: HookReceiver): readonly number[] =>
    Array.from({ length: MANY }, () => hook(container, receiver));
  const open = (found: FoundProject, title: string) => createIssue(server.platform, found, ada.user, { title });
  const idOf = ({ project: { id } }: FoundProject): HookContainer => ({ projectId: id });
  const test = (found: FoundProject, id: number) =>
    server.request('POST', `/api/v4/projects/${found.project.id}/hooks/${id}/test/issues_events`, { token: ada.token });
  /** Expects that more deliveries to these hooks wait than can be under way, so that others did not wait for them. */
  const assertMostWait = (ids: readonly number[]): void => {
    const waiting = server.platform.store.all<{ hook_id: number }>('SELECT hook_id FROM hook_deliveries WHERE sent_at IS NULL');
    assert.ok(waiting.filter(({ hook_id: id }) => ids.includes(id)).length > MANY);
  };

  for (const [name, respond] of [
    ['that never respond', () => undefined],
    [
      'whose responses never end',
      (response) => {
        response.writeHead(200).write('begun');
      },
    ],
  ] satisfies [string, HookReceiverOptions['respond']][]) {
    it(`receivers ${name} delay only the hooks of their project`, async () => {
      const slow = await receive({ respond });
      const [theirs, mine] = [project('theirs'), project('mine')];
      const ids = hooks(idOf(theirs), slow);
      hook(idOf(mine), good);
      for (const number of [1, 2, 3]) open(theirs, `Theirs ${number}`);
      await slow.next(1);
      open(mine, 'Mine');
      const [received] = await good.next(1);
      assert.partialDeepStrictEqual(received?.body, { object_attributes: { title: 'Mine' } });
      assertMostWait(ids);
    });
  }

  it('receivers of a group that never respond delay neither the hooks of its projects nor those of other groups', async () => {
    const [theirs, others] = ['theirs', 'others'].map((path) => createGroup(server.platform, ada.user, { name: path, path }));
    assert.ok(theirs !== undefined && others !== undefined);
    const inside = createProject(server.platform, ada.user, { name: 'Inside', namespaceId: theirs.group.id });
    const outside = createProject(server.platform, ada.user, { name: 'Outside', namespaceId: others.group.id });
    const ids = hooks({ groupId: theirs.group.id }, silent);
    hook(idOf(inside), good);
    hook({ groupId: others.group.id }, good);
    for (const number of [1, 2, 3]) open(inside, `Inside ${number}`);
    open(outside, 'Outside');
    const received = await good.next(4);
    const titles = received.map(({ body }) => (body['object_attributes'] as { title: string }).title);
    assert.deepEqual(titles.toSorted(), ['Inside 1', 'Inside 2', 'Inside 3', 'Outside']);
    assertMostWait(ids);
  });

  it('tests of hooks whose receivers never respond delay only the hooks of their project', async () => {
    const [theirs, mine] = [project('theirs'), project('mine')];
    open(theirs, 'Theirs');
    const ids = hooks(idOf(theirs), silent);
    const [first = 0] = ids;
    // More requests than the server calls hooks at the same time.
    const tests = Promise.all(Array.from({ length: 100 }, (_, index) => test(theirs, ids[index] ?? first)));
    await silent.next(4);
    const id = hook(idOf(mine), good);
    open(mine, 'Mine');
    await good.next(1);
    assert.equal((await test(mine, id)).status, 201);
    assertMostWait(ids);
    // When the server ends, the requests still get a response.
    server.platform.live.end();
    assert.deepEqual([...new Set((await tests).map(({ status }) => status))], [503]);
  });

  it('a project calls several of its hooks at the same time, but not all of them', async () => {
    const found = project('lamps');
    hooks(idOf(found), silent);
    open(found, 'Lamp 7');
    await silent.next(4);
    const mine = project('mine');
    hook(idOf(mine), good);
    open(mine, 'Mine');
    await good.next(1);
    assert.equal(silent.received.length, 4);
  });

  it('a hook with many deliveries does not keep the others of its project from their turns', async () => {
    const found = project('lamps');
    const responses: (() => void)[] = [];
    const slow = await receive({ respond: (response) => responses.push(() => response.end()) });
    for (let count = 0; count < 4; count += 1) hook(idOf(found), slow);
    for (const number of [1, 2, 3]) open(found, `Lamp ${number}`);
    await slow.next(4);
    hook(idOf(found), good);
    open(found, 'Lamp 4');
    responses.shift()?.();
    const [received] = await good.next(1);
    assert.equal(slow.received.length, 4);
    assert.partialDeepStrictEqual(received?.body, { object_attributes: { title: 'Lamp 4' } });
  });
});
