import assert from 'node:assert/strict';
import vm from 'node:vm';
import * as esbuild from 'esbuild';
import * as z from 'zod';
import { minifiedDemoPage } from '../../../scripts/demoPage.ts';
import { DAY } from '../../../server/core/clock.ts';
import { trackedError, trackedErrorDetail, trackedEvent } from '../../../server/features/errorTracking/api/errorResponses.ts';
import { sourceMap } from '../../../server/features/errorTracking/sourceMaps/sourceMapResponses.ts';
import { demoBrowsers } from '../../../server/seeds/demoFurtherErrors.ts';
import { demoPageDebugId, demoPageMap } from '../../../server/seeds/demoPageMap.ts';
import { startDemoServer } from '../../support/demo.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

type Detail = z.output<ReturnType<typeof trackedErrorDetail>>;

describe('errors of the demo data that show what error tracking does', () => {
  let server: TestServer;
  before(async () => {
    server = await startDemoServer();
  });
  after(async () => {
    await server.close();
    await esbuild.stop();
  });

  async function read(target: string): Promise<unknown> {
    const response = await server.request('GET', `/api/v4/projects/1/error_tracking/${target}`, { token: admin });
    assert.equal(response.status, 200, response.text);
    return response.json();
  }

  /** Returns the only error with a text and a status. */
  async function errorWith(text: string, status = 'unresolved'): Promise<Detail> {
    const found = z.array(trackedError()).parse(await read(`errors?search=${encodeURIComponent(text)}&status=${status}`));
    assert.equal(found.length, 1, JSON.stringify(found.map(({ title }) => title)));
    return trackedErrorDetail().parse(await read(`errors/${found[0]?.fingerprint}`));
  }

  /** Returns the number of events of each grouping that has some. */
  const groupedEvents = ({ groupings }: Detail): readonly number[] =>
    groupings.map(({ count }) => count).filter((count) => count > 0);
  const exceptionsOf = ({ latest_event: event }: Detail) => event?.payload?.exceptions ?? [];

  it('the demo data has an error that was resolved in the next release and that an older release still reports', async () => {
    const error = await errorWith('openGate', 'resolved_in_next_release');
    assert.equal(error.title, 'SyntaxError: Unexpected end of JSON input');
    assert.deepEqual(error.status_releases, ['berth-api@1.3.1']);
    assert.equal(error.last_release_version, 'berth-api@1.3.1');
    assert.deepEqual([error.count_since_status, error.fixed_in_release], [41, 'berth-api@1.4.0']);
    const now = server.platform.clock.now();
    const [since = 0, last = 0] = [error.status_changed_at ?? '', error.last_seen].map((time) => Date.parse(time));
    assert.ok(since > now - 15 * DAY && since < last && last > now - 2 * DAY, `${error.status_changed_at} ${error.last_seen}`);
  });

  it('the page of an error of the demo data says how often older releases still report it', async () => {
    const { web_url: address } = await errorWith('openGate', 'resolved_in_next_release');
    const client = new PageClient(server);
    await client.signIn();
    const page = textOf((await client.open(new URL(address).pathname)).text);
    assert.match(page, /Resolved .+ in the release after berth-api@1\.3\.1 ?\./);
    assert.match(page, /Still reported by older releases: 41 events since \d{4}-/);
    // The source map of the booking page is no reason to look for maps of the service.
    assert.doesNotMatch(page, /No source map/);
  });

  it('the demo data has an exception group whose different members are a tree', async () => {
    const error = await errorWith('AggregateError');
    assert.equal(error.title, 'AggregateError: No tide mirror answered');
    assert.equal(error.culprit, 'askMirrors (/srv/berth-api/tides.js)');
    assert.deepEqual([groupedEvents(error), error.grouping?.by], [[58], 'exception_group']);
    assert.deepEqual(
      exceptionsOf(error).map(({ type, mechanism }) => [type, mechanism?.exception_id, mechanism?.parent_id, mechanism?.source]),
      [
        ['RangeError', 4, 0, 'errors[2]'],
        ['TimeoutError', 3, 0, 'errors[1]'],
        ['Error', 2, 1, 'cause'],
        ['TypeError', 1, 0, 'errors[0]'],
        ['AggregateError', 0, null, null],
      ],
    );
    assert.equal(exceptionsOf(error).at(-1)?.mechanism?.is_exception_group, true);
  });

  it('the demo data has the crash of a native program, with package, addresses and signal, and without files', async () => {
    const error = await errorWith('SIGSEGV');
    assert.equal(error.title, 'SIGSEGV: Segfault');
    assert.equal(error.culprit, 'motor_read_angle (/opt/gate-driver/lib/libmotor.so.2)');
    assert.deepEqual(
      [error.level, error.platform, error.last_release_version, groupedEvents(error)],
      ['fatal', 'native', 'gate-driver@0.9.2', [9]],
    );
    assert.deepEqual(
      exceptionsOf(error).map(({ type, mechanism }) => [type, mechanism?.signal]),
      [['SIGSEGV', 'SIGSEGV']],
    );
    const frames = exceptionsOf(error).flatMap((exception) => exception.frames);
    const [driver, motor] = ['/opt/gate-driver/bin/gate-driver', '/opt/gate-driver/lib/libmotor.so.2'];
    assert.deepEqual(
      frames.map((frame) => [frame.function, frame.package, frame.filename ?? frame.abs_path ?? frame.lineno]),
      [
        [null, driver, null],
        [null, driver, null],
        ['motor_turn', motor, null],
        ['motor_read_angle', motor, null],
      ],
    );
    for (const { instruction_addr: address } of frames) assert.match(address ?? '', /^0x(?:55|7f)[0-9a-f]{10}$/);
  });

  it('the demo data has one error that two browsers report of a minified page, mapped to the source by its debug ID', async () => {
    const error = await errorWith('totalOf');
    assert.equal(error.culprit, 'totalOf (public/booking.js)');
    assert.deepEqual(groupedEvents(error), [63]);
    const maps = z.array(sourceMap()).parse(await read('source_maps'));
    assert.deepEqual(
      maps.map(({ name, release, debug_id: id }) => [name, release, id]),
      [['booking.min.js', 'booking-page@1.4.0', demoPageDebugId]],
    );
    const events = z.array(trackedEvent()).parse(await read(`errors/${error.fingerprint}/events?per_page=100`));
    const ofBrowser = new Map(
      events.flatMap(({ payload }) => {
        const browser = payload?.tags.find(({ key }) => key === 'browser')?.value;
        return payload === null || browser === undefined ? [] : [[browser, payload.exceptions] as const];
      }),
    );
    assert.deepEqual([...ofBrowser.keys()].toSorted(), ['Chrome 142.0.0', 'Firefox 145.0']);
    for (const exceptions of ofBrowser.values())
      assert.deepEqual(
        exceptions.flatMap(({ frames }) => frames.map((frame) => [frame.filename, frame.lineno, frame.mapped_from?.filename])),
        [5, 14, 19].map((line) => ['public/booking.js', line, 'https://berths.tidemark.example/assets/booking.min.js']),
      );
    const code = exceptionsOf(error)[0]?.frames.at(-1)?.context_line;
    assert.equal(code, '  return (price + berth.deposit.amount).toFixed(2);');
  });

  it('the source map of the demo data is that of the booking page, which fails in V8 where Chrome says', async () => {
    const { code, map, debugId } = await minifiedDemoPage();
    assert.deepEqual([demoPageMap, demoPageDebugId], [map, debugId], 'run node scripts/demoPage.ts');
    let change = (): void => assert.fail('the page does not listen');
    const form = {
      addEventListener: (_: string, listener: () => void) => (change = listener),
      querySelector: () => ({}),
      elements: { berth: { selectedOptions: [{ dataset: { berth: '{"price":30}' } }] }, nights: { value: '2' } },
    };
    vm.runInNewContext(code, { document: { querySelector: () => form } }, { filename: 'booking.min.js' });
    const chrome = demoBrowsers[0];
    assert.throws(change, ({ message, stack = '' }: Error) => {
      assert.equal(message, chrome?.message);
      assert.deepEqual(
        [...stack.matchAll(/booking\.min\.js:1:(\d+)/g)].map(([, column]) => Number(column)),
        chrome?.frames.map(([, column]) => column).toReversed(),
      );
      return true;
    });
  });
});
