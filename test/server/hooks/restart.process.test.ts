import assert from 'node:assert/strict';
import { startHookReceiver } from '../../support/hookReceiver.ts';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'hooks-restart-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const titleOf = (body: Readonly<Record<string, unknown>>): string => (body['object_attributes'] as { title: string }).title;

describe('deliveries of hooks of a server that is killed', () => {
  it('deliveries that were recorded or under way when the server was killed are sent after its next start', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const silent = await startHookReceiver({ respond: () => undefined });
    const first = await spawnServer(args, { env });
    await requestOf(first, token, 'POST', '/api/v4/projects', { name: 'Quay' });
    const hook = { url: silent.url, push_events: false, issues_events: true, token: 'kept across restarts' };
    await requestOf(first, token, 'POST', '/api/v4/projects/1/hooks', hook);
    // The first delivery is under way and gets no response, so the second one waits.
    for (const title of ['Bollard 1', 'Bollard 2']) await requestOf(first, token, 'POST', '/api/v4/projects/1/issues', { title });
    const [interrupted] = await silent.next(1);
    await first.stop();
    await silent.close();

    await using receiver = await startHookReceiver({ at: silent.port });
    await using second = await spawnServer(args, { env });
    const received = await receiver.next(2);
    assert.deepEqual(
      received.map(({ body }) => titleOf(body)),
      ['Bollard 1', 'Bollard 2'],
    );
    const [again] = received;
    assert.equal(again?.headers['idempotency-key'], interrupted?.headers['idempotency-key']);
    assert.equal(again?.headers['x-gitlab-token'], 'kept across restarts');
    assert.equal(second.line['event'], 'listening');
  });
});
