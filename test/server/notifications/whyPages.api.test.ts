import assert from 'node:assert/strict';
import { decideAll } from '../../../server/features/notifications/work.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('page that explains who is mailed', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    rita = actor(server.platform, 'rita');
    projectWith(server.platform, ada, { name: 'Lamps', visibility: 'private' }, [[rita, 30]]);
    await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Too <b>dim</b>' } });
    await server.request('POST', '/api/v4/projects/1/issues/1/notes', { token: rita.token, json: { body: 'Which bulb?' } });
    decideAll(server.platform);
  });
  after(() => server.close());

  const open = async (username: string, query: string) => {
    const client = new PageClient(server);
    await client.signIn(username);
    const response = await client.open(`/-/notifications/why${query}`);
    return { status: response.status, text: response.text };
  };

  it('shows a user the decision about themselves', async () => {
    const { status, text } = await open('ada', '?event_id=2');
    assert.equal(status, 200);
    assert.match(text, /<h1>Why was I mailed, or not\?/);
    assert.match(text, /Too &lt;b&gt;dim/);
    assert.match(text, /The user is mailed\./);
    assert.match(text, /Level participating of the global setting lets new_note through\./);
    assert.match(text, /Unsubscribe from the thread\./);
    assert.doesNotMatch(text, /rita Example<\/strong>/);
  });

  it('shows an administrator all candidates, or the one that is asked for', async () => {
    const root = rootOf(server.platform).username;
    const all = await open(root, '?event_id=2');
    assert.match(all.text, /2 candidates, 1 mailed/);
    assert.match(all.text, /The user caused the event, and is not notified of their own activity\./);
    const one = await open(root, '?event_id=2&user=rita');
    assert.doesNotMatch(one.text, /ada Example<\/strong>/);
  });

  it('does not show events that the user cannot read, or that do not exist', async () => {
    actor(server.platform, 'olga');
    assert.equal((await open('olga', '?event_id=2')).status, 404);
    assert.equal((await open('ada', '?event_id=99')).status, 404);
  });

  it('explains a possible event', async () => {
    const { text } = await open('ada', '?event=close_issue&target=ada%2Flamps%231&actor=rita');
    assert.match(text, /The user is mailed\./);
    assert.match(text, /value="ada\/lamps#1"/);
    const silent = await open('ada', '?event=close_issue&target=ada%2Flamps%231&actor=%40ada');
    assert.match(silent.text, /The user is not mailed\. The user caused the event/);
  });

  it('says what is wrong with the description of a possible event', async () => {
    for (const [query, problem] of [
      ['?event=close_issue&target=', 'Enter the path of a project or group'],
      ['?event=close_issue&target=ada%2Flamps%239', 'ada/lamps#9 does not exist, or you cannot see it.'],
      ['?event=close_issue&target=ada%2Flamps%211', 'ada/lamps!1 does not fit the event.'],
      ['?event=close_issue&target=ada%2Flamps%231&actor=nobody', 'There is no user nobody.'],
      ['?event=close_issue&target=%3Cscript%3E', 'Enter the path of a project or group'],
    ] as const) {
      const { status, text } = await open('ada', query);
      assert.equal(status, 200, query);
      assert.ok(text.includes(problem), `${query}: ${problem}`);
    }
  });

  it('an administrator sees all candidates of a possible event', async () => {
    const { text } = await open(rootOf(server.platform).username, '?event=close_issue&target=ada%2Flamps%231&user=');
    assert.match(text, /2 candidates, 2 mailed/);
  });
});
