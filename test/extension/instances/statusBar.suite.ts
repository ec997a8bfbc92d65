import assert from 'node:assert/strict';
import { ask, DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { setFocus } from '../../support/host/suite/border.ts';
import { reset, start } from '../../support/host/suite/extension.ts';
import { startBehindFront } from '../../support/host/suite/front.ts';
import { connectTo, signInAs, startLocally } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const SIGNED_IN = `Signed in as ${DEMO_USER.name} (@${DEMO_USER.username})`;

/** Waits until the hover of the status bar item has these lines, and none of the others. */
async function untilHover(lines: readonly string[], others: readonly RegExp[] = []): Promise<void> {
  await workbench.untilStatusHover(
    STATUS,
    (text) => lines.every((line) => text.includes(line)) && !others.some((other) => other.test(text)),
    `${lines.join(', ')} without ${others.join(', ')}`,
  );
}

/** Opens the menu of the status bar item. Returns its entries with their descriptions. */
async function openMenu(): Promise<ReadonlyMap<string, string>> {
  await workbench.clickStatus(STATUS);
  const entries = await until(workbench.entries, (all) => all.length > 0, 'the menu');
  return new Map(entries.map(({ label, description }) => [label, description]));
}

describe('the status bar item of the managed server', () => {
  beforeEach(async () => {
    await start({ settings: { 'signalbox.activity.pollSeconds': 3600 } });
    await startLocally();
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
  });

  it('the status bar item of the managed server has account, server, release, dialect and a moved clock, and its menu changes each', async () => {
    await untilHover(
      ['Managed server', SIGNED_IN, 'Address: http://127.0.0.1:', 'Emulated release: 18.11', 'Dialect: Documented'],
      [/Clock/],
    );
    const menu = await openMenu();
    assert.deepEqual(
      ['Account…', 'Instance…', 'Release…', 'Dialect…', 'Set clock…'].map((label) => menu.get(label)),
      [`@${DEMO_USER.username}`, 'Managed server', '18.11', 'Documented', ''],
    );
    assert.ok(!menu.has('Use the time of this machine'));
    await workbench.choose('Release…');
    await workbench.choose('17.0');
    await untilHover(['Emulated release: 17.0']);
    await openMenu();
    await workbench.choose('Dialect…');
    await workbench.choose('Observed');
    await untilHover(['Dialect: Observed']);

    await openMenu();
    await workbench.choose('Set clock…');
    await workbench.choose('Advance by 1 hour');
    await untilHover(['Clock: 1 hour ahead']);
    await workbench.untilStatus(STATUS, (_, spoken) => spoken.endsWith('Clock: 1 hour ahead'), 'the clock for screen readers');
    assert.equal((await openMenu()).get('Set clock…'), '1 hour ahead');
    await workbench.choose('Use the time of this machine');
    await untilHover(['Dialect: Observed'], [/Clock/]);
  });

  it('the status bar item of the managed server shows what is true again after the server was stopped and started', async () => {
    await workbench.run('Signalbox: Set Clock…');
    await workbench.choose('Stop the clock at…');
    await workbench.fillInput('2030-01-31 14:30');
    await untilHover(['Clock: stopped at 2030-01-31 14:30:00 UTC']);
    await workbench.clear();
    await workbench.run('Signalbox: Stop Local Server');
    await untilHover(['The server is stopped'], [/Clock/, /Emulated release/, /Address/]);
    await workbench.run('Signalbox: Start Local Server');
    await untilHover(['Clock: stopped at 2030-01-31 14:30:00 UTC', 'Emulated release: 18.11']);
  });
});

describe('the status bar item of a connected server', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform('demo', ['--release', '16.4', '--dialect', 'observed']);
    await start({ settings: { 'signalbox.activity.pollSeconds': 3600 } });
    await connectTo(platform);
  });
  after(async () => {
    await workbench.clear();
    await platform?.close();
  });

  it('the status bar item of a connected server follows another program that moves its clock, when the window gets the focus', async () => {
    await untilHover(
      [platform.label, SIGNED_IN, `Address: ${platform.origin}`, 'Emulated release: 16.4', 'Dialect: Observed'],
      [/Clock/],
    );
    await platform.advance(3_600);
    setFocus(false);
    setFocus(true);
    await untilHover(['Clock: 1 hour ahead']);
    const menu = await openMenu();
    assert.deepEqual(
      ['Account…', 'Instance…', 'Release…', 'Dialect…', 'Set clock…', 'Disconnect'].map((label) => menu.get(label)),
      [`@${DEMO_USER.username}`, platform.label, '16.4', 'Observed', '1 hour ahead', ''],
    );
    await workbench.choose('Use the time of this machine');
    await untilHover(['Dialect: Observed'], [/Clock/]);
    assert.partialDeepStrictEqual(await ask(platform, 'GET', '/_local/clock'), { frozen: false, offset_seconds: 0 });
  });
});

describe('the status bar item of a remote instance', () => {
  const releases: Record<string, string | undefined> = {};
  const asked: string[] = [];
  let platform: RunningPlatform;
  beforeEach(async () => {
    platform = await startBehindFront(({ url = '' }, response) => {
      const [, route = ''] = /\/api\/v4\/(metadata|version)$/.exec(url) ?? [];
      if (route === '') return false;
      asked.push(route);
      const version = releases[route];
      response.writeHead(version === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(version === undefined ? { error: '404 Not Found' } : { version }));
      return true;
    });
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin, name: 'Harbour' }] } });
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
    await platform?.close();
    asked.length = 0;
    for (const route of Object.keys(releases)) Reflect.deleteProperty(releases, route);
  });

  it('the status bar item of a remote instance has account, instance and release, and its menu switches account and instance', async () => {
    releases['metadata'] = '17.5.2-ee';
    await signInAs({ ...platform, label: 'Harbour' }, DEMO_USER.username);
    await untilHover(
      ['Harbour', SIGNED_IN, `Address: ${platform.origin}`, 'Release: 17.5.2-ee'],
      [/Clock/, /Dialect/, /Emulated/, /data profile/],
    );
    assert.deepEqual(
      [...(await openMenu())],
      [
        ['Show activity', ''],
        ['Account…', `@${DEMO_USER.username}`],
        ['Instance…', 'Harbour'],
      ],
    );
    await workbench.untilText((text) => text.includes('Release: 17.5.2-ee'), 'the release in the menu');
    await workbench.choose('Account…');
    await workbench.choose('Managed server');
    await untilHover(['Managed server', 'The server is stopped'], [/Release/, /Address/]);
  });

  it('the status bar item of a remote instance that does not say its release shows none, and signs in from its menu', async () => {
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: signed out · Harbour', 'signed out');
    assert.deepEqual([...(await openMenu()).keys()], ['Sign in…', 'Instance…']);
    await workbench.cancel();
    await signInAs({ ...platform, label: 'Harbour' }, DEMO_USER.username);
    await until(
      () => asked,
      (routes) => routes.includes('metadata') && routes.includes('version'),
      'the requests for the release',
    );
    await untilHover(['Harbour', SIGNED_IN, `Address: ${platform.origin}`], [/Release/, /Clock/, /Dialect/]);
  });
});
