import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { DEVICE_CODE_GRANT, readDeviceAuthorization, readTokenResponse } from '../../../src/contract/oauth.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { integerMember, isJsonObject } from '../../../src/contract/json.ts';
import { decideCode } from '../../support/deviceGrant.ts';
import { DEMO_USER } from '../../support/host/platform.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { OPEN_CODE_PAGE, readCode } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { createPageVisitor, type PageVisitor } from '../../support/pageVisitor.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
/** Matches the row of an event, from the demo data or of a client: verb and number of the target. */
const EVENT = /^(Opened|Closed|Reopened|Commented on|Joined|Left|Created)\b/;

describe('a new user of the local server', () => {
  beforeEach(() => start());
  afterEach(reset);

  it('a new user of the local server signs in with a code, sees the activity of an API client, and continues after a restart', async () => {
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');
    const mine = await workbench.openView('My Activity');
    await mine.untilWelcome((text) => text.includes('Sign in with your browser'), 'offers to sign in');

    await mine.clickWelcomeButton('Sign In');
    await workbench.choose('Sign in with a code');
    const code = await readCode('Managed server');
    await workbench.clickDialogButton(OPEN_CODE_PAGE);
    await workbench.choose(DEMO_USER.name);
    const visitor = createPageVisitor();
    const page = await visitor.open(await workbench.untilPage(() => true, 'the page of the code'));
    assert.equal(await workbench.clipboard(), code);
    assert.ok(page.html.includes(`value="${code}"`), 'the code is filled in');
    await decideCode(visitor, page, code, 'approve');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await mine.untilRows((rows) => rows.filter(({ label }) => EVENT.test(label)).length >= 10, 'seeded feed');

    const { origin } = page.address;
    const send = await clientOf(visitor, origin);
    const [project] = await send('GET', '/projects?membership=true&per_page=1');
    const path = `/projects/${numberIn(project, 'id')}/issues`;
    const [issue] = await send('POST', path, { title: 'Semaphore sticks at night' });
    const iid = numberIn(issue, 'iid');
    await send('POST', `${path}/${iid}/notes`, { body: 'Seen at signal 7.' });
    await send('PUT', `${path}/${iid}`, { state_event: 'close' });
    await workbench.run('Signalbox: Refresh Activity');
    await untilTop(mine, [
      `Closed #${iid} Semaphore sticks at night`,
      `Commented on #${iid} Semaphore sticks at night`,
      `Opened #${iid} Semaphore sticks at night`,
    ]);

    const { ended } = await connectionEnd(origin);
    await workbench.run('Signalbox: Restart Local Server');
    await ended;
    // The status bar looks the same before and after because the new server has the address of the first one.
    const health = (): Promise<boolean> =>
      fetch(`${origin}/_local/health`).then(
        () => true,
        () => false,
      );
    await until(health, (isThere) => isThere, 'the next server');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in after the restart');
    await send('POST', `${path}/${iid}/notes`, { body: 'Oiled.' });
    await workbench.run('Signalbox: Refresh Activity');
    await untilTop(mine, [`Commented on #${iid} Semaphore sticks at night`, `Closed #${iid} Semaphore sticks at night`]);

    await workbench.run('Signalbox: Stop Local Server');
    await mine.untilWelcome((text) => text.includes('Start Local Server'), 'offers to start the server');
    await assert.rejects(connectionEnd(origin), { code: 'ECONNREFUSED' });
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  it('a new user of the local server finds it running again after the window was reloaded', async () => {
    const project = await workbench.openView('Project Activity');
    await project.clickWelcomeButton('start the local server');
    const mine = await workbench.openView('My Activity');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs again');
    await workbench.run('Signalbox: Stop Local Server');
    await mine.untilWelcome((text) => text.includes('Start Local Server'), 'server stopped');
    assert.deepEqual(await workbench.toasts(), []);
  });
});

/** Sends a request to the API. It must succeed; an object in the response becomes a list of one. */
type Send = (method: string, path: string, body?: object) => Promise<readonly unknown[]>;

/** Returns an API client with a token of its own, which a signed-in user approves. */
async function clientOf(visitor: PageVisitor, origin: string): Promise<Send> {
  const form = async (path: string, fields: Readonly<Record<string, string>>): Promise<unknown> =>
    (await fetch(`${origin}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(fields) })).json();
  const codes = readDeviceAuthorization(await form('authorize_device', { client_id: EXTENSION_CLIENT_ID, scope: 'api' }));
  assert.ok(codes !== undefined);
  await decideCode(visitor, await visitor.open(`${origin}/oauth/device`), codes.user_code, 'approve');
  const grant = { grant_type: DEVICE_CODE_GRANT, client_id: EXTENSION_CLIENT_ID, device_code: codes.device_code };
  const tokens = readTokenResponse(await form('token', grant));
  assert.ok(tokens !== undefined);
  return async (method, path, body) => {
    const response = await fetch(`${origin}/api/v4${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  };
}

function numberIn(value: unknown, name: string): number {
  const number = isJsonObject(value) ? integerMember(value, name) : undefined;
  assert.ok(number !== undefined, `no ${name} in ${JSON.stringify(value)}`);
  return number;
}

/** Waits until the newest events of a feed are these, newest first. */
async function untilTop(view: View, labels: readonly string[]): Promise<void> {
  const events = (rows: readonly Row[]): readonly string[] => rows.filter(({ level }) => level === 2).map(({ label }) => label);
  await view.untilRows((rows) => isDeepStrictEqual(events(rows).slice(0, labels.length), labels), `first ${labels.join(', ')}`);
}

/** Connects to a server; `ended` settles when the server, or its process, closes the connection. */
async function connectionEnd(origin: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { hostname, port } = new URL(origin);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.resume().on('error', () => {});
  return { ended: once(socket, 'close') };
}
