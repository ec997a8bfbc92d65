import assert from 'node:assert/strict';
import { HOUR, MINUTE } from '../../../../server/core/clock.ts';
import { changeErrorStatus } from '../../../../server/features/errorTracking/status/errorStatus.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { createIssue } from '../../../../server/features/issues/issues.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { type Actor, actor } from '../../projects/cast.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { hearSession } from '../releases/heardSessions.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

describe('the pages of tracked errors', () => {
  let server: TestServer;
  let project: TrackedProject;
  let list: string;
  let owner: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    const { clock } = server.platform;
    clock.freeze(clock.now());
    project = trackedProject(server);
    list = `/${project.path}/-/error_tracking`;
    owner = await as(project.owner);
  });
  afterEach(() => server.close());

  async function as(who: Actor): Promise<PageClient> {
    const client = new PageClient(server);
    await client.signIn(who.user.username);
    return client;
  }

  async function member(level: number): Promise<PageClient> {
    const who = actor(server.platform, `level${level}`);
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    assert.ok(found);
    addMember(server.platform, found.project, who.user, { level }, { user: project.owner.user, access: found.access });
    return as(who);
  }

  async function html(path: string, client = owner): Promise<string> {
    const response = await client.open(path);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    assert.doesNotMatch(response.text, /\[object |undefined|NaN|<script/);
    return response.text;
  }

  const text = async (path: string, client = owner): Promise<string> => textOf(await html(path, client));
  /** Returns the titles of the listed errors, in order. */
  const titles = async (query = ''): Promise<string[]> =>
    [...(await html(`${list}${query}`)).matchAll(/details"><bdi>([^<]*)</g)].map(([, title = '']) =>
      title.replace('ValueError: cannot ', ''),
    );
  const details = async (): Promise<string> => `${list}/${(await project.errors())[0]?.fingerprint}/details`;

  it('pages of tracked errors need the role Reporter; others get 404, whether or not the project exists', async () => {
    await project.send(errorEvent('load'));
    const page = await details();
    const [guest, reporter, stranger] = [await member(10), await member(20), await as(actor(server.platform, 'stranger'))];
    const nobody = new PageClient(server);
    for (const path of [list, page]) {
      assert.equal((await reporter.open(path)).status, 200);
      for (const client of [guest, stranger]) assert.equal((await client.open(path)).status, 404, path);
      const led = await nobody.open(path);
      assert.deepEqual([led.status, led.headers.get('location')], [303, `/users/sign_in?return_to=${encodeURIComponent(path)}`]);
    }
    assert.ok((await html(`/${project.path}`, reporter)).includes(`href="${list}"`));
    assert.ok(!(await html(`/${project.path}`, guest)).includes('error_tracking'));
  });

  it('an error of another project and an invalid number get 404', async () => {
    const other = trackedProject(server);
    await other.send(errorEvent('save'));
    const [error] = await other.errors();
    for (const path of [error?.fingerprint, '0', '1e3', '99999999999999999999', `${error?.fingerprint}/x`, '']) {
      assert.equal((await owner.open(`${list}/${path}/details`)).status, 404, String(path));
    }
  });

  it('pages without error tracking show how to enable it, and no errors', async () => {
    await project.send(errorEvent('load'));
    const page = await details();
    writeSettings(server.platform, project.id, { active: false, integrated: true });
    assert.match(
      await text(list),
      /tracking is off.*Enable Error Tracking… .*PUT \/api\/v4\/projects\/\d+\/error_tracking\/settings\?active=true/,
    );
    assert.match(
      await text(list, await member(20)),
      /tracking is off for this project\. A maintainer of the project can enable it/,
    );
    assert.equal((await owner.open(page)).status, 404);
    assert.equal((await owner.open(`${list}?search=load&status=all`)).text.includes('cannot'), false);
  });

  it('errors are listed by status, search text, environment, release and level, in the selected order', async () => {
    const { platform } = server;
    const events = [
      ['load', { environment: 'harbour', release: 'ship@1.0.0' }],
      ['save', { environment: 'open sea', release: 'ship@1.1.0', level: 'fatal', user: { id: 1 } }],
      ['save', { environment: 'open sea', release: 'ship@1.1.0', level: 'fatal', user: { id: 2 } }],
      ['moor', { level: 'warning' }],
      ['dock', {}],
    ] as const;
    for (const [fails, more] of events) {
      await project.send(errorEvent(fails, more));
      platform.clock.advance(MINUTE);
    }
    const [dock, moor, , load] = await project.errors();
    assert.ok(dock && moor && load);
    changeErrorStatus(platform, dock, { status: 'resolved' });
    changeErrorStatus(platform, moor, { status: 'ignored' });
    platform.clock.advance(HOUR);
    await project.send(errorEvent('load'));
    const found: Readonly<Record<string, readonly string[]>> = {
      '': ['load', 'save'],
      '?sort=first_seen': ['save', 'load'],
      '?sort=nonsense&status=nonsense&level=nonsense&after=nonsense': ['load', 'save'],
      '?status=resolved': ['dock'],
      '?status=ignored': ['moor'],
      '?status=all': ['load', 'dock', 'moor', 'save'],
      '?status=all&search=ship.py': ['load', 'dock', 'moor', 'save'],
      '?search=sav': ['save'],
      '?search=%00%22sa%0Av%22%20OR': [],
      '?environment=harbour': ['load'],
      '?environment=open+sea&release=ship%401.1.0': ['save'],
      '?environment=open+sea&release=ship%401.0.0': [],
      '?status=all&level=warning': ['moor'],
    };
    for (const [query, expected] of Object.entries(found)) assert.deepEqual(await titles(query), expected, query);
    const shown = await html(list);
    assert.match(shown, /aria-label="2 events in the last 24 hours, at most 1 per hour"/);
    assert.match(textOf(shown), /cannot save app|save \(app\/ship\.py\) fatal .*2 events 2 users/);
    assert.match(shown, /<option value="open sea">/);
    assert.match(shown, /<option value="ship@1\.1\.0">/);
  });

  it('the list of errors has keyset pages that keep the filters', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `step${index}`);
    await project.post(
      'envelope',
      envelope(
        {},
        ...names.map((name, index) => ({ event: errorEvent(name, { timestamp: server.platform.clock.now() / 1000 - index }) })),
      ),
    );
    const seen: string[] = [];
    let query: string | undefined = '?search=step';
    for (let pages = 0; query !== undefined && pages < 5; pages += 1) {
      seen.push(...(await titles(query)));
      const next: string | undefined = /rel="next" href="([^"]*)"/.exec(await html(`${list}${query}`))?.[1];
      query = next?.replaceAll('&amp;', '&').slice(list.length);
      if (query !== undefined) assert.match(query, /search=step/);
    }
    assert.deepEqual(seen, names);
    assert.deepEqual(await titles('?after=0-0'), []);
  });

  it('the page of an error shows its details', async () => {
    await project.send(
      errorEvent('load', {
        exception: {
          values: [
            { type: 'OSError', value: 'disk is gone' },
            {
              type: 'ValueError',
              value: 'cannot load',
              mechanism: { type: 'excepthook', handled: false },
              stacktrace: {
                frames: [
                  { filename: 'lib/run.py', function: 'run', lineno: 7, in_app: false },
                  {
                    filename: 'app/ship.py',
                    function: 'load',
                    lineno: 10,
                    colno: 5,
                    in_app: true,
                    pre_context: ['def load():'],
                    context_line: '    raise ValueError()',
                    post_context: ['# end'],
                    vars: { cargo: ['salt', 'rope'], password: 'hunter2' },
                  },
                ],
              },
            },
          ],
        },
        tags: { harbour: 'north' },
        user: { id: '7', username: 'amara' },
        request: {
          url: 'https://ship.example/load?token=geheim',
          method: 'GET',
          headers: { Authorization: 'Bearer geheim', Accept: '*/*' },
        },
        breadcrumbs: [{ timestamp: 1_700_000_000, category: 'http', message: 'GET /tide' }],
        release: 'ship@1.0.0',
        environment: 'harbour',
        sdk: { name: 'sentry.python', version: '2.0.0' },
        contexts: { runtime: { name: 'CPython' } },
        extra: { depth: 12 },
        modules: { requests: '2.0' },
      }),
    );
    const page = await html(await details());
    const text = textOf(page);
    for (const part of [
      'ValueError: cannot load',
      'Exception ValueError',
      'unhandled',
      'app/ship.py:10:5 in load',
      '9 def load(): 10 raise ValueError() (failed here) 11 # end',
      'cargo [ "salt", "rope" ]',
      '1 library frame lib/run.py:7 in run',
      'Caused by OSError disk is gone',
      'harbour north',
      'Username amara',
      'Method GET',
      'https://ship.example/load',
      'Accept */*',
      'http GET /tide',
      'SDK sentry.python 2.0.0',
      'requests 2.0',
      'First seen less than a minute ago in ship@1.0.0',
      'Grouped by exception types and stack trace.',
      'Frames used for grouping: app/ship.py load',
      'lib/run.py run library frame',
      'The exception value is not used',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.doesNotMatch(page, /hunter2|geheim/);
    assert.doesNotMatch(page, /href="https?:/);
  });

  it('the page of an error shows release health', async () => {
    await project.send(errorEvent('load', { release: 'ship@1.0.0' }));
    assert.doesNotMatch(await text(await details()), /Release health/);
    for (const release of ['ship@1.0.0', 'ship@1.0.0', 'ship@2.0.0']) hearSession(server.platform, project.id, release);
    assert.match(await text(await details()), /Release health ship@1\.0\.0 2 sessions, 0 crashed 100% crash-free Event/);
  });

  it('the page of an error shows processing notes, also for an empty event', async () => {
    await project.send({ event_id: 'e'.repeat(32), level: 'nonsense' });
    const message = await text(await details());
    assert.match(message, /Processing notes level was invalid ?: nonsense/);
    assert.match(message, /The event has no exception, message or stack trace to group by\./);
  });

  it('the page of an error has links to the first, previous, next and latest event', async () => {
    const ids: string[] = [];
    for (const server_name of ['a', 'b', 'c']) {
      ids.push(await project.send(errorEvent('load', { server_name })));
      server.platform.clock.advance(MINUTE);
    }
    const other = await project.send(errorEvent('save'));
    const page = await details().then(
      async () => `${list}/${(await project.errors()).find(({ culprit }) => culprit.startsWith('load'))?.fingerprint}/details`,
    );
    const steps = async (event?: string): Promise<string> =>
      [...(await html(event === undefined ? page : `${page}?event=${event}`)).matchAll(/\?event=([0-9a-f]{32})#event">(\w+)</g)]
        .map(([, id = '', text]) => `${text} ${ids.indexOf(id)}`)
        .join(', ');
    assert.equal(await steps(), 'First 0, Previous 1');
    assert.equal(await steps(ids[1]), 'First 0, Previous 0, Next 2, Latest 2');
    assert.equal(await steps(ids[0]), 'Next 1, Latest 2');
    assert.match(await text(`${page}?event=${ids[0]}`), /Server a/);
    for (const name of [other, ids[0]?.slice(1), 'x', ''])
      assert.equal((await owner.open(`${page}?event=${name}`)).status, 404, name);
    server.platform.store.run('DELETE FROM tracked_payloads');
    assert.match(await text(`${page}?event=${ids[1]}`), /Only the latest events are stored in full/);
    assert.equal(await steps(), 'First 0, Previous 1');
  });

  it('developers can resolve, ignore and reopen errors', async () => {
    await project.send(errorEvent('load', { release: 'ship@1.0.0' }));
    const page = await details();
    const action = page.replace(/details$/, 'status');
    const developer = await member(30);
    const rounds = [
      [{ status: 'resolved' }, /Resolved less than a minute ago *\. The next event reopens it\./],
      [{ status: 'unresolved' }, /^(?!.*(?:Resolved|Ignored) less)/],
      [{ status: 'resolved_in_next_release' }, /in the release after ship@1\.0\.0/],
      [{ status: 'unresolved' }, /Resolve in the next release/],
      [{ status: 'ignored', until: 'occurrences' }, /Ignored .* until it occurs 10 more times/],
      [{ status: 'unresolved' }, /Ignore/],
      [{ status: 'ignored', until: 'week' }, /until 20/],
      [{ status: 'unresolved' }, /Ignore/],
      [{ status: 'ignored' }, /Ignored .* permanently/],
    ] as const;
    for (const [fields, after] of rounds) {
      const response = await developer.submit(await developer.open(page), action, fields);
      assert.equal(response.headers.get('location'), page, response.text);
      assert.match(await text(page), after);
    }
    const reporter = await member(20);
    assert.doesNotMatch(await html(page, reporter), /\/status"/);
    const token = /name="authenticity_token" value="([^"]+)"/.exec((await reporter.open(page)).text)?.[1] ?? '';
    for (const [client, fields, status] of [
      [reporter, { status: 'unresolved', authenticity_token: token }, 403],
      [developer, { status: 'unresolved' }, 403],
      [new PageClient(server), { status: 'unresolved' }, 403],
    ] as const) {
      assert.equal((await client.post(action, fields)).status, status);
    }
    for (const fields of [{ status: 'gone' }, { status: 'ignored', until: 'never' }]) {
      assert.equal((await developer.submit(await developer.open(page), action, fields)).status, 400);
    }
    assert.equal((await project.errors())[0]?.status, 'ignored');
  });

  it('the page of an error that is resolved in the next release says how often older releases still report it', async () => {
    await project.send(errorEvent('load', { release: 'ship@1.1.0' }));
    const page = await details();
    const developer = await member(30);
    const fields = { status: 'resolved_in_next_release' };
    await developer.submit(await developer.open(page), page.replace(/details$/, 'status'), fields);
    assert.doesNotMatch(await text(page), /Still reported/);
    await project.send(errorEvent('load', { release: 'ship@1.0.0' }));
    assert.match(await text(page), /Still reported by older releases: 1 event since \d{4}-/);
    await project.send(errorEvent('load', { release: 'ship@1.1.0' }));
    assert.match(await text(page), /Still reported by older releases: 2 events since /);
  });

  it('developers can assign errors, link them with issues, merge, split and undo', async () => {
    const { platform } = server;
    for (const name of ['load', 'save']) await project.send(errorEvent(name));
    const [save, load] = await project.errors();
    assert.ok(save && load);
    const found = findProject(platform, project.id, { user: project.owner.user });
    assert.ok(found);
    const { iid } = createIssue(platform, found, project.owner.user, { title: 'Loading fails' });
    const page = `${list}/${load.fingerprint}/details`;
    const action = page.replace(/details$/, 'edit');
    const developer = await member(30);
    const submit = async (fields: Readonly<Record<string, string>>, to = page): Promise<string> => {
      const response = await developer.submit(await developer.open(page), action, fields);
      assert.equal(response.headers.get('location'), to, response.text);
      return text(to);
    };
    const undo = async (): Promise<string> =>
      submit({ undo: /name="undo" value="(\d+)"/.exec(await html(page, developer))?.[1] ?? '' });
    const { name, username } = project.owner.user;
    assert.match(await submit({ assignee: `@${username}` }), new RegExp(`Assigned to ${name}`));
    assert.deepEqual([await titles(`?assignee=${username}`), await titles('?assignee=None')], [['load'], ['save']]);
    assert.deepEqual(await titles('?assignee=nobody'), []);
    assert.match(await text(list), new RegExp(`load .*${name}`));
    assert.match(await submit({ issue: `#${iid}` }), new RegExp(`Issue #${iid} Loading fails opened`));
    assert.match(await submit({ merge: `${server.origin}${list}/${save.fingerprint}/details` }), /Events 2/);
    assert.equal((await project.errors()).length, 1);
    assert.match(await undo(), /Events 1/);
    assert.equal((await project.errors()).length, 2);
    await submit({ merge: String(save.fingerprint) });
    const hash = /name="split" value="([0-9a-f]{64})"/.exec(await html(page, developer))?.[1] ?? '';
    await developer.submit(await developer.open(page), action, { split: hash });
    assert.equal((await project.errors()).length, 2);
    assert.match(await submit({ assignee: '' }), /^(?!.*Assigned to [A-Z])/);
    for (const fields of [
      { assignee: 'nobody' },
      { issue: 'x' },
      { issue: '77' },
      { merge: 'x' },
      { merge: '' },
      { undo: '0' },
    ]) {
      const refused = await developer.submit(await developer.open(page), action, fields);
      assert.equal(refused.status, 400, JSON.stringify(fields));
    }
    const reporter = await member(20);
    assert.doesNotMatch(await html(page, reporter), /\/edit"/);
    const token = /name="authenticity_token" value="([^"]+)"/.exec((await reporter.open(page)).text)?.[1] ?? '';
    assert.equal((await reporter.post(action, { assignee: '', authenticity_token: token })).status, 403);
  });

  it('pages of tracked errors show hostile content as text', async () => {
    const evil = '</title><img src=x onerror=alert(1)>"\'`<b>\u202egnp.exe\u2066\u200b\0\u001b[31m';
    const long = `${'A'.repeat(5000)} the end`;
    await project.send({
      event_id: 'f'.repeat(32),
      level: 'error',
      platform: evil,
      exception: {
        values: [
          {
            type: evil,
            value: `${evil} ${long}`,
            module: evil,
            stacktrace: {
              frames: [
                {
                  filename: `javascript:${evil}`,
                  abs_path: 'file:///etc/passwd',
                  function: evil,
                  lineno: 1,
                  context_line: evil,
                  in_app: true,
                  vars: { [evil]: { __proto__: { evil }, constructor: [evil] } },
                },
              ],
            },
          },
        ],
      },
      tags: { '<b>': evil, link: 'https://evil.example/x', script: 'javascript:alert(1)' },
      user: { id: evil, username: '\u202e' },
      request: { url: `https://evil.example/${evil}`, headers: { [evil]: evil }, data: evil },
      breadcrumbs: [{ category: evil, message: evil, data: { [evil]: evil } }],
      release: evil,
      environment: evil,
      server_name: evil,
      transaction: evil,
      logger: evil,
      extra: { [evil]: [evil] },
      contexts: { [evil]: { [evil]: evil } },
      modules: { [evil]: evil },
      fingerprint: [evil, '{{ default }}'],
      timestamp: evil,
    });
    const page = await details();
    for (const path of [list, `${list}?search=${encodeURIComponent(evil)}&environment=${encodeURIComponent(evil)}`, page]) {
      const markup = (await owner.open(path)).text;
      assert.doesNotMatch(markup, /<img src=x|<b>|<script|onerror=alert\(1\)>"/, path);
      // Includes the values that the form shows again.
      const shown = markup.replaceAll(/<(?:input|option)\b[^>]*>/g, '');
      assert.doesNotMatch(shown, /(?!\n)\p{Cc}|[\u200b\u202e\u2066]/u, path);
      assert.doesNotMatch(markup, /href="(?!\/|#|https?:\/\/127)/, path);
      assert.doesNotMatch(markup, /href="[^"]*evil\.example/, path);
    }
    const message = await text(page);
    assert.match(message, /⟦U\+202E⟧gnp\.exe⟦U\+2066⟧⟦U\+200B⟧/);
    assert.ok(message.includes('the end'));
    assert.ok((/<h1>(.*?)<\/h1>/s.exec(await html(page))?.[1] ?? '').length < 1000);
  });
});
