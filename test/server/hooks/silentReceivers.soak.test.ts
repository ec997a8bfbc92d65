import assert from 'node:assert/strict';
import { startHookReceiver } from '../../support/hookReceiver.ts';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'silent-receivers-soak-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
/** More than hooks are called at the same time. */
const PROJECTS = 200;
const ISSUES = 10;

describe('a server with 200 projects whose receivers never respond', () => {
  it('the hook of another project gets all its deliveries while most of theirs wait', async () => {
    using folder = temporaryFolder();
    await using silent = await startHookReceiver({ respond: () => undefined });
    await using good = await startHookReceiver();
    await using server = await spawnServer(['serve', '--data', folder.path], { env });
    const projectWith = async (name: string, url: string): Promise<number> => {
      const { id } = (await requestOf(server, token, 'POST', '/api/v4/projects', { name })) as { id: number };
      await requestOf(server, token, 'POST', `/api/v4/projects/${id}/hooks`, { url, push_events: false, issues_events: true });
      return id;
    };
    const open = (id: number, title: string) => requestOf(server, token, 'POST', `/api/v4/projects/${id}/issues`, { title });
    const ids: number[] = [];
    for (let number = 0; number < PROJECTS; number += 1) ids.push(await projectWith(`Silent ${number}`, silent.url));
    for (const id of ids) for (let number = 0; number < ISSUES; number += 1) await open(id, `Silent ${number}`);
    const mine = await projectWith('Mine', good.url);
    for (let number = 0; number < ISSUES; number += 1) await open(mine, `Mine ${number}`);
    const received = await good.next(ISSUES);
    assert.deepEqual(
      received.map(({ body }) => (body['object_attributes'] as { title: string }).title),
      Array.from({ length: ISSUES }, (_, number) => `Mine ${number}`),
    );
    assert.ok(silent.received.length < (PROJECTS * ISSUES) / 2, `${silent.received.length} requests`);
  });
});
