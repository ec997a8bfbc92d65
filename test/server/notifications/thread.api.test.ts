import assert from 'node:assert/strict';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('notifications from a comment to a mail', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    projectWith(server.platform, ada, { name: 'Lamps' }, [[rita, 30]]);
  });
  afterEach(() => server.close());

  const mailsOf = async (who: Actor): Promise<{ subject: string; to: string }[]> => {
    const response = await server.request('GET', '/api/v4/user/mails', { token: who.token });
    assert.equal(response.status, 200, response.text);
    return response.json() as { subject: string; to: string }[];
  };

  it('a comment is mailed to the author of the issue and not to its own author', async () => {
    const opened = await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Too dim' } });
    assert.equal(opened.status, 201, opened.text);
    const note = await server.request('POST', '/api/v4/projects/1/issues/1/notes', {
      token: rita.token,
      json: { body: 'Which bulb?' },
    });
    assert.equal(note.status, 201, note.text);
    server.platform.schedule.runDue();
    assert.equal((await mailsOf(ada)).length, 1);
    const replies = (await mailsOf(rita)).filter(({ subject }) => subject.startsWith('Re: '));
    assert.deepEqual(replies, []);
  });

  it('settings of a project are changed and read', async () => {
    const path = '/api/v4/projects/1/notification_settings';
    const before = await server.request('GET', path, { token: ada.token });
    assert.deepEqual(before.json(), { level: 'global' });
    const put = await server.request('PUT', path, { token: ada.token, json: { level: 'custom', new_note: true } });
    assert.equal(put.status, 200, put.text);
    const { events } = put.json() as { events: Record<string, boolean | null> };
    assert.equal(events['new_note'], true);
    assert.equal(events['new_issue'], null);
    assert.equal(events['failed_pipeline'], null);
  });
});
