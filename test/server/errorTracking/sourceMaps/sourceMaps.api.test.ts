import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import * as z from 'zod';
import { trackedErrorDetail, trackedEvent } from '../../../../server/features/errorTracking/api/errorResponses.ts';
import { sourceMap } from '../../../../server/features/errorTracking/sourceMaps/sourceMapResponses.ts';
import { MAX_MAPS } from '../../../../server/features/errorTracking/sourceMaps/uploadSourceMap.ts';
import { setErrorTracking } from '../../../../server/features/errorTracking/errorTracking.ts';
import { findProject } from '../../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../../server/features/members/projectMembers.ts';
import { actor } from '../../projects/cast.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';
import { keepSourceMap } from './storedSourceMaps.ts';
import { type Bundle, bundled, cart, thrown } from './minified.ts';
import { recount } from '../write/recount.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../senders.ts';

const FILE = '/srv/shop/static/app.min.js';
const ID = '7f3a0c1e-1111-4222-8333-944445555666';
/** One mapping: line 1, column 5 maps to line 2, column 3 of `a.ts`. */
const small = { version: 3, sources: ['a.ts'], names: [], mappings: 'IACE', sourcesContent: ['one\ntwo\nthree'] };
const text = JSON.stringify(small);

type Payload = NonNullable<z.output<ReturnType<typeof trackedEvent>>['payload']>;
type Shown = z.output<ReturnType<typeof sourceMap>>;
type Frame = Payload['frames'][number];

describe('source maps of a project', function () {
  let server: TestServer;
  let project: TrackedProject;
  let now: Bundle;
  let later: Bundle;
  before(async () => {
    [server, now, later] = await Promise.all([startTestServer(), bundled(), bundled({}, true)]);
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(async () => {
    await esbuild.stop();
    await server.close();
  });

  const api = (method: string, rest = '', options: object = {}, of = project): Promise<TestResponse> =>
    server.request(method, `/api/v4/projects/${of.id}/error_tracking/${rest}`, { token: of.owner.token, ...options });
  const post = (json: object, of = project): Promise<TestResponse> => api('POST', 'source_maps', { json }, of);
  async function upload(json: object, of = project): Promise<Shown> {
    const response = await post({ name: '~/static/app.min.js', ...json }, of);
    assert.equal(response.status, 201, response.text);
    return sourceMap().parse(response.json());
  }
  const list = async (): Promise<Shown[]> => z.array(sourceMap()).parse((await api('GET', 'source_maps')).json());

  /** Returns the error of a bundle, as the SDK for Node sends it. */
  const crash = (bundle: Bundle, more: object = {}, file = FILE): object => ({
    ...errorEvent('check out', { platform: 'node', release: 'shop@1.0' }),
    exception: {
      values: [
        {
          type: 'Error',
          value: 'the cart is empty',
          stacktrace: { frames: thrown(bundle.code, file).map((frame) => ({ ...frame, module: 'app.min', in_app: true })) },
        },
      ],
    },
    ...more,
  });
  /** Returns an event with one frame. */
  const single = (frame: object, more: object = {}): object =>
    errorEvent('load', {
      platform: 'javascript',
      exception: {
        values: [{ type: 'Error', value: 'x', stacktrace: { frames: [{ filename: FILE, function: 'e', ...frame }] } }],
      },
      ...more,
    });

  /** Returns the frames of the latest event in REST: callers first. */
  async function framesOf(of = project): Promise<readonly Frame[]> {
    const [error] = await of.errors();
    const response = await api('GET', `errors/${error?.fingerprint}/events`, {}, of);
    const [event] = z.array(trackedEvent()).parse(response.json());
    return event?.payload?.exceptions[0]?.frames ?? [];
  }
  async function onlyFrame(of = project): Promise<Frame> {
    const [frame, ...others] = await framesOf(of);
    assert.ok(frame);
    assert.deepEqual(others, []);
    return frame;
  }
  async function page(of = project): Promise<string> {
    const client = new PageClient(server);
    await client.signIn(of.owner.user.username);
    const [error] = await of.errors();
    const response = await client.open(`/${of.path}/-/error_tracking/${error?.fingerprint}/details`);
    assert.equal(response.status, 200, response.text);
    return textOf(response.text);
  }

  describe('uploading source maps', () => {
    const rows: readonly (readonly [name: string, sent: object, has: object])[] = [
      [
        'with everything that may be said',
        { file: text, name: '~/static/app.js', release: 'shop@1.0', dist: '7', debug_id: ID },
        { name: '~/static/app.js', release: 'shop@1.0', dist: '7', debug_id: ID, size: text.length },
      ],
      [
        'with the name that the map says',
        { file: JSON.stringify({ ...small, file: 'own.js' }) },
        { name: 'own.js', release: null },
      ],
      [
        'with the debug id that the map says, and no name',
        { file: JSON.stringify({ ...small, debugId: ID.replaceAll('-', '').toUpperCase() }) },
        { name: null, debug_id: ID },
      ],
      ['with the debug id under its earlier name', { file: JSON.stringify({ ...small, debug_id: ID }) }, { debug_id: ID }],
      [
        'with a debug id that is none, which does not count',
        { file: JSON.stringify({ ...small, file: 'a', debugId: 7 }) },
        { debug_id: null },
      ],
      [
        'of sections',
        { file: JSON.stringify({ version: 3, sections: [{ offset: { line: 0, column: 0 }, map: small }] }), name: 'a' },
        { name: 'a' },
      ],
      [
        'empty members are none',
        { file: text, name: 'a.js', release: '', dist: '', debug_id: '' },
        { release: null, dist: null, debug_id: null },
      ],
    ];
    for (const [name, sent, has] of rows) {
      it(name, async () => {
        const response = await post(sent);
        assert.equal(response.status, 201, response.text);
        assert.partialDeepStrictEqual(response.json(), has);
        assert.deepEqual(await list(), [response.json()]);
      });
    }

    it('a source map uploaded as a file of a form has its file name, if it has no other name', async () => {
      const form = new FormData();
      form.set('file', new File([text], 'app.min.js.map'));
      form.set('release', 'shop@1.0');
      const send = (method: string): Promise<Response> =>
        fetch(`${server.origin}/api/v4/projects/${project.id}/error_tracking/source_maps`, {
          method,
          body: form,
          headers: { 'PRIVATE-TOKEN': project.owner.token },
        });
      const response = await send('POST');
      assert.equal(response.status, 201);
      assert.partialDeepStrictEqual(await response.json(), { name: 'app.min.js.map', release: 'shop@1.0', size: text.length });
    });

    it('an upload replaces a source map with the same file, release, distribution and debug ID', async () => {
      const first = await upload({ file: text });
      const second = await upload({ file: JSON.stringify({ ...small, names: ['longer'] }) });
      await upload({ file: text, release: 'shop@1.0' });
      await upload({ file: text, dist: '7' });
      await upload({ file: text, debug_id: ID });
      assert.equal(second.id, first.id);
      assert.ok(second.size > first.size);
      assert.deepEqual(
        (await list()).map(({ release, dist, debug_id: debugId }) => [release, dist, debugId]),
        [
          [null, null, null],
          ['shop@1.0', null, null],
          [null, '7', null],
          [null, null, ID],
        ],
      );
    });

    const refused: readonly (readonly [name: string, sent: object, body: object])[] = [
      ['nothing', {}, { error: 'file is missing' }],
      ['no text', { file: 7 }, { error: 'file is invalid' }],
      ['no JSON', { file: 'x' }, { message: { file: ['is not a source map: it is no JSON'] } }],
      ['another version', { file: '{"version":2}' }, { message: { file: ['is not a source map: its version is not 3'] } }],
      [
        'code',
        { file: '{"version":3,"sources":[]}', name: 'a' },
        { message: { file: ['is not a source map: its mappings are not VLQ'] } },
      ],
      ['what nobody would find', { file: text }, { message: { name: ["can't be blank, because the map names no file"] } }],
      [
        'a name without end',
        { file: text, name: 'a'.repeat(1025) },
        { message: { name: ['is too long (maximum is 1024 characters)'] } },
      ],
      ['a debug id that is none', { file: text, name: 'a', debug_id: '7' }, { message: { debug_id: ['is not a UUID'] } }],
      [
        'another debug id than that of the map',
        { file: JSON.stringify({ ...small, debugId: ID }), debug_id: ID.replace('7', '8') },
        { message: { debug_id: [`is not that of the map, which is ${ID}`] } },
      ],
    ];
    for (const [name, sent, body] of refused) {
      it(`refused: ${name}`, async () => {
        const response = await post(sent);
        assert.deepEqual([response.status, response.json()], [400, body]);
        assert.deepEqual(await list(), []);
      });
    }

    it('source maps above the size or number limit are refused', async () => {
      const large = `{"version":3,"sources":[],"mappings":"","x":"${'a'.repeat(32 * 1024 * 1024)}"}`;
      const response = await post({ file: large, name: 'a' });
      assert.equal(response.status, 400, response.text);
      assert.match(response.text, /is not a source map: it has \d+ bytes, and 33554432 are the most/);
      for (let index = 0; index < MAX_MAPS; index += 1) keepSourceMap(server.platform, project.id, `app${index}.js`);
      const another = await post({ file: text, name: 'b' });
      assert.deepEqual(
        [another.status, another.json()],
        [
          400,
          {
            message: {
              base: [`The project has ${MAX_MAPS} source maps, which are the most. Delete some that no event needs any more.`],
            },
          },
        ],
      );
      assert.equal((await post({ file: text, name: 'app7.js' })).status, 201);
    });
  });

  it('source maps need the role Maintainer, and those of other projects get 404', async () => {
    const { id } = await upload({ file: text });
    const other = trackedProject(server);
    const found = findProject(server.platform, project.id, { user: project.owner.user });
    const developer = actor(server.platform, 'dora');
    assert.ok(found);
    addMember(server.platform, found.project, developer.user, { level: 30 }, { user: project.owner.user, access: found.access });
    for (const [method, rest, json] of [
      ['GET', 'source_maps', undefined],
      ['POST', 'source_maps', { file: text, name: 'a' }],
      ['DELETE', `source_maps/${id}`, undefined],
    ] as const) {
      const as = (token: string | undefined): object => ({ token, ...(json === undefined ? {} : { json }) });
      assert.deepEqual((await api(method, rest, as(developer.token))).json(), { message: '403 Forbidden' });
      assert.deepEqual((await api(method, rest, as(other.owner.token))).status, 404);
      assert.deepEqual((await api(method, rest, as(undefined))).status, 401);
    }
    assert.equal((await api('DELETE', `source_maps/${id}`, {}, other)).status, 404);
    assert.equal((await api('DELETE', `source_maps/${id}`)).status, 204);
    assert.equal((await api('DELETE', `source_maps/${id}`)).status, 404);
    assert.deepEqual(await list(), []);
  });

  describe('source maps of an application minified by esbuild', () => {
    const placesOf = (frames: readonly Frame[]): unknown[] =>
      frames.map((frame) => [frame.filename, frame.function, frame.lineno, frame.context_line, frame.in_app]);

    it('source maps apply to title, culprit, frames and lines of source', async () => {
      await upload({ file: now.map, release: 'shop@1.0' });
      await project.send(crash(now));
      const [error, ...others] = await project.errors();
      assert.deepEqual(others, []);
      assert.deepEqual([error?.title, error?.culprit], ['Error: the cart is empty', 'totalOfItems (src/cart.ts)']);
      const frames = await framesOf();
      assert.deepEqual(placesOf(frames).slice(-2), [
        ['src/main.ts', 'checkOut', 4, '  console.log(totalOfItems([]));', true],
        ['src/cart.ts', 'totalOfItems', 9, "    throw new Error('the cart is empty');", true],
      ]);
      const sent = thrown(now.code, FILE).at(-1);
      const last = frames.at(-1);
      assert.deepEqual(last?.mapped_from, { ...sent, abs_path: null });
      assert.deepEqual([last?.map_problem, last?.pre_context.at(-1)], [null, '  if (first === undefined) {']);
      assert.deepEqual(last?.post_context, cart.split('\n').slice(9, 14));
      const detail = trackedErrorDetail().parse((await api('GET', `errors/${error?.fingerprint}`)).json());
      assert.deepEqual(
        detail.grouping?.stack?.frames.slice(-2).map(({ place, name, use }) => [place, name, use]),
        [
          ['src/main.ts', 'checkOut', 'used'],
          ['src/cart.ts', 'totalOfItems', 'used'],
        ],
      );
      const shown = await page();
      assert.ok(shown.includes(`src/cart.ts:9:11 in totalOfItems mapped from ${FILE}:${sent?.lineno}:${sent?.colno}`), shown);
      assert.ok(shown.includes("throw new Error('the cart is empty'); (failed here)"), shown);
    });

    it('with source maps, another build gives the same error, and without them another', async () => {
      const without = trackedProject(server);
      await upload({ file: now.map, release: 'shop@1.0' });
      await upload({ file: later.map, release: 'shop@1.1' });
      for (const one of [project, without]) {
        await one.send(crash(now));
        await one.send(crash(later, { release: 'shop@1.1' }));
      }
      assert.notDeepEqual(
        thrown(now.code, FILE).map((frame) => frame.function),
        thrown(later.code, FILE).map((frame) => frame.function),
      );
      assert.deepEqual(
        (await project.errors()).map(({ event_count: count, first_release: first, last_release: last }) => [count, first, last]),
        [[2, 'shop@1.0', 'shop@1.1']],
      );
      assert.equal((await without.errors()).length, 2);
      recount(server.platform);
    });

    it('mapped frames are searched, and shown by the other APIs', async () => {
      await upload({ file: now.map });
      await project.send(crash(now));
      const [error] = await project.errors();
      const found = await api('GET', 'errors?search=totalOfItems');
      assert.deepEqual(
        Object(found.json()).map(({ fingerprint }: { fingerprint: number }) => fingerprint),
        [error?.fingerprint],
      );
      const query = `{ project(fullPath: "${project.path}") { sentryErrors {
        errorStackTrace(id: "gid://gitlab/Gitlab::ErrorTracking::DetailedError/${error?.fingerprint}") {
          stackTraceEntries { fileName function line } } } } }`;
      const graphql = await server.request('POST', '/api/graphql', { token: project.owner.token, json: { query } });
      assert.equal(graphql.status, 200, graphql.text);
      assert.deepEqual(Object(graphql.json()).data.project.sentryErrors.errorStackTrace.stackTraceEntries.at(-1), {
        fileName: 'src/cart.ts',
        function: 'totalOfItems',
        line: '9',
      });
      const client = new PageClient(server);
      await client.signIn(project.owner.user.username);
      const web = await client.open(`/${project.path}/-/error_tracking/${error?.fingerprint}/stack_trace.json`);
      assert.partialDeepStrictEqual(Object(web.json()).error.stack_trace_entries.at(-1), { filename: 'src/cart.ts', lineNo: 9 });
    });

    it('source maps uploaded later apply to frames, but not to grouping and its explanation', async () => {
      await project.send(crash(now));
      const [before] = await project.errors();
      assert.deepEqual((await framesOf()).at(-1)?.map_problem, null);
      const { id } = await upload({ file: now.map });
      const [error, ...others] = await project.errors();
      assert.deepEqual([error?.fingerprint, others], [before?.fingerprint, []]);
      assert.equal((await framesOf()).at(-1)?.filename, 'src/cart.ts');
      const explained = async (): Promise<string | undefined> => {
        const detail = trackedErrorDetail().parse((await api('GET', `errors/${error?.fingerprint}`)).json());
        return detail.grouping?.stack?.frames.at(-1)?.place;
      };
      assert.equal(await explained(), 'app.min');
      assert.equal((await api('DELETE', `source_maps/${id}`)).status, 204);
      const last = (await framesOf()).at(-1);
      assert.deepEqual([last?.filename, last?.mapped_from, last?.map_problem], [FILE, null, null]);
    });

    it('source maps apply to scrubbed events', async () => {
      await upload({ file: now.map });
      await project.send(crash(now, { extra: { password: 'open sesame 2002' } }));
      const last = (await framesOf()).at(-1);
      assert.deepEqual([last?.filename, last?.mapped_from?.filename], ['src/cart.ts', FILE]);
    });

    it('source maps apply when errors are merged and split', async () => {
      await upload({ file: now.map });
      await project.send(crash(now));
      await project.send(crash(now, { fingerprint: ['another'] }));
      const [one, other] = await project.errors();
      assert.ok(one && other);
      const merged = await api('POST', `errors/${one.fingerprint}/merge`, { json: { fingerprints: [other.fingerprint] } });
      assert.equal(merged.status, 200, merged.text);
      assert.equal(Object((await api('GET', 'errors?search=src/cart.ts')).json()).length, 1);
      const detail = trackedErrorDetail().parse((await api('GET', `errors/${one.fingerprint}`)).json());
      assert.equal(detail.groupings.filter(({ count }) => count > 0).length, 2);
      const split = await api('POST', `errors/${one.fingerprint}/split`, { json: { hash: detail.groupings[0]?.hash } });
      assert.equal(split.status, 201, split.text);
      assert.deepEqual(
        (await project.errors()).map(({ culprit }) => culprit),
        ['totalOfItems (src/cart.ts)', 'totalOfItems (src/cart.ts)'],
      );
      const found = await api('GET', 'errors?search=src/cart.ts');
      assert.equal(Object(found.json()).length, 2);
      recount(server.platform);
    });
  });

  describe('reasons why a frame is not mapped', () => {
    const at = { lineno: 1, colno: 5 };
    const rows: readonly (readonly [name: string, frame: object, more: object, uploaded: object, reason: string | undefined])[] =
      [
        ['nothing is wrong', at, {}, {}, undefined],
        ['another file', at, {}, { name: 'b.js' }, `No source map was uploaded for ${FILE}.`],
        [
          'another release',
          at,
          { release: '2' },
          { release: '1' },
          `The source map for ${FILE} was uploaded for 1, but the event is from 2.`,
        ],
        [
          'another distribution',
          at,
          { dist: 'b' },
          { dist: 'a' },
          `The source map for ${FILE} was uploaded for the distribution a, but the event is from b.`,
        ],
        ['no column', { lineno: 1 }, {}, {}, 'The frame has no column number, which a source map needs.'],
        ['outside', { lineno: 7, colno: 1 }, {}, {}, `The source map for ${FILE} has no mapping for line 7, column 1.`],
        [
          'no source',
          at,
          {},
          { file: JSON.stringify({ ...small, mappings: 'I' }) },
          `The source map for ${FILE} has no source for line 1, column 5.`,
        ],
        [
          'its debug id, whatever it is called',
          at,
          { debug_meta: { images: [{ type: 'sourcemap', code_file: FILE, debug_id: ID }] } },
          { name: 'b', debug_id: ID },
          undefined,
        ],
      ];
    for (const [name, frame, more, uploaded, reason] of rows) {
      it(name, async () => {
        await upload({ file: text, ...uploaded });
        await project.send(single(frame, more));
        const shown = await onlyFrame();
        assert.equal(shown.map_problem?.reason, reason);
        assert.deepEqual(
          [shown.filename, shown.mapped_from?.filename],
          reason === undefined ? ['a.ts', FILE] : [FILE, undefined],
        );
        if (reason !== undefined) assert.ok((await page()).includes(reason));
      });
    }

    const OTHER = '11111111-1111-4111-8111-111111111111';
    const meta = (id: string, file = FILE): object => ({
      debug_meta: { images: [{ type: 'sourcemap', code_file: file, debug_id: id }] },
    });
    const contradictions: readonly (readonly [name: string, more: object, uploaded: object])[] = [
      ['by name', meta(ID), { debug_id: OTHER }],
      [
        'by name, release and distribution',
        { ...meta(ID), release: '1', dist: 'a' },
        { debug_id: OTHER, release: '1', dist: 'a' },
      ],
      [
        'by its own id, which is written otherwise',
        meta(ID.toUpperCase()),
        { debug_id: OTHER.replaceAll('-', '').toUpperCase() },
      ],
      ['by a file whose address has a query', meta(ID, `${FILE}?v=1`), { debug_id: OTHER }],
    ];
    for (const [name, more, uploaded] of contradictions) {
      it(`a map of another build is never used, found ${name}`, async () => {
        await upload({ file: text, ...uploaded });
        await project.send(single(at, more));
        const shown = await onlyFrame();
        const reason = `The source map for ${FILE} has the debug ID ${OTHER}, but the file of the event has ${ID}.`;
        assert.deepEqual([shown.filename, shown.mapped_from, shown.map_problem?.name], [FILE, null, 'other_build']);
        assert.equal(shown.map_problem?.reason.toLowerCase(), reason.toLowerCase());
        assert.ok((await page()).toLowerCase().includes(reason.toLowerCase()));
      });
    }

    it('a map of another build does not hide the one of the build', async () => {
      await upload({ file: JSON.stringify({ ...small, sources: ['other.ts'] }), debug_id: OTHER, release: '1' });
      await upload({ file: text, release: '1' });
      await project.send(single(at, { ...meta(ID), release: '1' }));
      assert.deepEqual([(await onlyFrame()).filename, (await onlyFrame()).map_problem], ['a.ts', null]);
    });

    const doubts: readonly (readonly [name: string, kind: string | undefined, more: object, uploaded: object])[] = [
      ['that names a release for an event that names none', 'unknown_release', { release: undefined }, { release: '1' }],
      ['that names a distribution for an event that names none', 'unknown_dist', { release: '1' }, { release: '1', dist: 'a' }],
      ['that has a debug ID for a file that has none', 'unknown_build', {}, { debug_id: OTHER }],
      ['that has no debug ID for a file that has one', 'unknown_build', meta(ID), {}],
      ['of the release of the event', undefined, { release: '1' }, { release: '1' }],
      ['of the release of the event, with a debug ID', undefined, { release: '1' }, { release: '1', debug_id: OTHER }],
      [
        'of the release of the event, without the debug ID of the file',
        undefined,
        { ...meta(ID), release: '1' },
        { release: '1' },
      ],
      ['for all releases and builds', undefined, { release: '1' }, {}],
    ];
    for (const [name, kind, more, uploaded] of doubts) {
      it(`a map ${name} ${kind === undefined ? 'is certain, and decides the grouping' : 'says so beside the frame, and does not decide the grouping'}`, async () => {
        await upload({ file: text, ...uploaded });
        await project.send(single(at, more));
        const shown = await onlyFrame();
        assert.deepEqual([shown.filename, shown.mapped_from?.filename, shown.map_problem?.name], ['a.ts', FILE, kind]);
        const [error] = await project.errors();
        const file = kind === undefined ? 'a.ts' : FILE;
        assert.ok(error);
        assert.ok(error.culprit?.includes(file), error.culprit ?? 'no culprit');
        const detail = trackedErrorDetail().parse((await api('GET', `errors/${error.fingerprint}`)).json());
        assert.ok(file.endsWith(detail.grouping?.stack?.frames.at(-1)?.place ?? '?'), JSON.stringify(detail.grouping));
        assert.equal((await page()).includes('The position may be wrong: '), kind !== undefined);
        if (kind !== undefined) assert.match(shown.map_problem?.reason ?? '', /^The position may be wrong: .* but .*\.$/);
        recount(server.platform);
      });
    }

    it('events whose map is of an unknown release are the same error, whichever map is the newest', async () => {
      for (const [release, source] of [
        ['1', 'one.ts'],
        ['2', 'two.ts'],
      ]) {
        await upload({ file: JSON.stringify({ ...small, sources: [source] }), release });
        await project.send(single(at, { release: undefined }));
      }
      assert.deepEqual(
        (await project.errors()).map(({ event_count: count }) => count),
        [2],
      );
      assert.equal((await onlyFrame()).filename, 'two.ts');
    });

    const ENCODED: readonly (readonly [sent: string, name: string])[] = [
      ['https://shop.example/_next/static/chunks/app/%5Bslug%5D/page-6b0f.js', '~/_next/static/chunks/app/[slug]/page-6b0f.js'],
      ['https://shop.example/_next/static/chunks/app/[slug]/page-6b0f.js', '~/_next/static/chunks/app/%5Bslug%5D/page-6b0f.js'],
      ['https://shop.example/%5B...all%5D.js?v=1', '~/[...all].js'],
      ['https://shop.example/my%20shop/gr%C3%B6%C3%9Fe.js', '~/my shop/größe.js'],
      ['https://shop.example/my shop/gro\u0308\u00dfe.js', '~/my%20shop/gr%c3%b6%c3%9fe.js.map'],
      ['https://shop.example/a%E4b.js', '~/a%E4b.js'],
    ];
    for (const [sent, name] of ENCODED) {
      it(`paths are compared percent-decoded: ${sent} has the map ${name}`, async () => {
        await upload({ file: text, name });
        await project.send(single({ ...at, filename: sent }));
        assert.equal((await onlyFrame()).filename, 'a.ts');
      });
    }

    it('files of debug IDs are compared percent-decoded', async () => {
      await upload({ file: text, name: 'b', debug_id: ID });
      const filename = 'https://shop.example/app/%5Bslug%5D/page.js';
      await project.send(single({ ...at, filename }, meta(ID, 'https://shop.example/app/[slug]/page.js')));
      assert.equal((await onlyFrame()).filename, 'a.ts');
    });

    it('an encoded separator does not lead to another file', async () => {
      await upload({ file: text, name: '~/static/app.js' });
      const filename = 'https://shop.example/x%2Fstatic%2Fapp.js';
      await project.send(single({ ...at, filename }));
      assert.equal((await onlyFrame()).filename, filename);
    });

    it('events are accepted with a damaged source map', async () => {
      await upload({ file: text });
      server.platform.store.run("UPDATE source_maps SET key = 'other', bytes = X'00' WHERE project_id = $id", { id: project.id });
      await upload({ file: text, name: 'another.js' });
      await project.send(single(at));
      assert.deepEqual((await onlyFrame()).map_problem, {
        name: 'unreadable',
        reason: `The source map for ${FILE} cannot be read: the stored map is damaged.`,
      });
    });

    it('frames of other languages are not mapped', async () => {
      await upload({ file: text, name: 'app/ship.py' });
      await project.send(errorEvent('load'));
      assert.ok((await framesOf()).every((frame) => frame.map_problem === null && frame.mapped_from === null));
    });
  });

  it('source maps can be uploaded before error tracking is on', async () => {
    setErrorTracking(server.platform, project.id, false);
    await upload({ file: now.map });
    setErrorTracking(server.platform, project.id, true);
    await project.send(crash(now));
    assert.equal((await framesOf()).at(-1)?.filename, 'src/cart.ts');
  });
});
