import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import fc from 'fast-check';
import type { Frame } from '../../../server/features/errorTracking/event/trackedEvent.ts';
import type { MapProblem } from '../../../server/features/errorTracking/event/sourceMapProblems.ts';
import {
  comparablePath,
  chooseMap,
  indexMaps,
  mapFrames,
  type UploadedMap,
} from '../../../server/features/errorTracking/sourceMaps/chooseSourceMap.ts';
import { readSourceMap, type SourceMapReading } from '../../../server/features/errorTracking/sourceMaps/parseSourceMap.ts';
import { bundled, cart, thrown } from '../../server/errorTracking/sourceMaps/minified.ts';
import { trackedFrame } from '../../server/errorTracking/trackedEvents.ts';

const MAX_LENGTH = 32 * 1024 * 1024;
const URL_OF_BUNDLE = 'https://shop.example/static/app.js?v=3';

interface Metadata {
  readonly maps: readonly UploadedMap[];
  readonly read: (map: UploadedMap) => Uint8Array;
  readonly debugIds: ReadonlyMap<string, string>;
  readonly appRelease: string | undefined;
  readonly dist: string | undefined;
}

interface Applied {
  readonly frame: Frame;
  /** The frame before mapping. */
  readonly sent: Frame | undefined;
  readonly problem: MapProblem | undefined;
}

/** Applies source maps like the ingestion and its thread. */
function applySourceMaps(frames: readonly Frame[], { maps, read, ...event }: Metadata): Applied[] {
  const index = indexMaps(maps);
  const readings = new Map<UploadedMap, SourceMapReading>();
  const open = (map: UploadedMap): SourceMapReading => {
    const reading = readings.get(map) ?? readSourceMap(read(map), MAX_LENGTH);
    readings.set(map, reading);
    return reading;
  };
  const choices = frames.map((frame) => chooseMap(frame, { index, ...event }));
  return mapFrames(frames, choices, open).map((mapped, at): Applied => {
    const sent = frames[at];
    assert.ok(sent);
    if (mapped === undefined) return { frame: sent, sent: undefined, problem: undefined };
    return 'kind' in mapped ? { frame: sent, sent: undefined, problem: mapped } : { frame: mapped, sent, problem: undefined };
  });
}

function problemOfSourceMap(bytes: Uint8Array, longest: number): string | undefined {
  const reading = readSourceMap(bytes, longest);
  return 'problem' in reading ? reading.problem : undefined;
}

/** Returns frames in normalised form. */
function framesOf(code: string): Frame[] {
  return thrown(code, URL_OF_BUNDLE).map(({ lineno: line, colno: column, ...frame }) => trackedFrame({ ...frame, line, column }));
}

const uploaded = (members: Partial<UploadedMap> = {}): UploadedMap => ({
  file: '~/static/app.js',
  debugId: undefined,
  appRelease: undefined,
  dist: undefined,
  uploadedAt: 1,
  ...members,
});
const metadata = (members: Partial<Metadata> = {}): Metadata => ({
  maps: [uploaded()],
  read: () => Buffer.from(plain),
  debugIds: new Map(),
  appRelease: undefined,
  dist: undefined,
  ...members,
});

/** One mapping: line 1, column 5 of the bundle maps to line 2, column 3 of `a.ts`, with the name `x`. */
const plain = JSON.stringify({
  version: 3,
  sources: ['../src/a.ts'],
  names: ['x'],
  mappings: 'IACEA',
  sourcesContent: ['one\ntwo\nthree'],
});
const there = trackedFrame({ filename: URL_OF_BUNDLE, function: 'e', line: 1, column: 5, module: 'app' });

const readMap =
  (json: string): ((map: UploadedMap) => Uint8Array) =>
  () =>
    Buffer.from(json);

describe('frames of a bundle by esbuild', () => {
  after(() => esbuild.stop());

  for (const [name, options] of [
    ['minified', {}],
    ['as written', { minify: false }],
  ] as const) {
    it(`${name}: frames have original positions, names and lines of source`, async () => {
      const { code, map } = await bundled(options);
      const sent = framesOf(code);
      assert.equal(sent.length, 4, code);
      const mapped = applySourceMaps(sent, metadata({ read: readMap(map) }));
      assert.deepEqual(
        mapped.slice(1).map(({ frame }) => [frame.filename, frame.function, frame.line, frame.contextLine]),
        [
          ['src/main.ts', '?', 7, 'checkOut();'],
          ['src/main.ts', 'checkOut', 4, '  console.log(totalOfItems([]));'],
          ['src/cart.ts', 'totalOfItems', 9, "    throw new Error('the cart is empty');"],
        ],
      );
      const [last] = mapped.slice(-1);
      assert.deepEqual(last?.frame.preContext, cart.split('\n').slice(3, 8));
      assert.deepEqual(last?.frame.postContext, cart.split('\n').slice(9, 14));
      assert.deepEqual([last?.frame.column, last?.sent, last?.problem], [11, sent.at(-1), undefined]);
    });
  }

  it('a bundle without source content has no lines of source', async () => {
    const { code, map } = await bundled({ sourcesContent: false });
    const [last] = applySourceMaps(framesOf(code), metadata({ read: readMap(map) })).slice(-1);
    assert.deepEqual([last?.frame.line, last?.frame.contextLine, last?.frame.preContext], [9, undefined, []]);
    assert.equal(last?.frame.function, 'totalOfItems');
  });
});

describe('the map chosen for a frame', () => {
  const reads = (members: Partial<Metadata>, frame: Frame = there): string[] => {
    const read: string[] = [];
    const [one] = applySourceMaps([frame, frame], {
      ...metadata(members),
      read: (map) => {
        read.push(`${map.file} ${map.uploadedAt}`);
        return Buffer.from(plain);
      },
    });
    return one?.problem === undefined ? read : [one.problem.kind, one.problem.text];
  };
  const debugIds = new Map([[comparablePath(URL_OF_BUNDLE), '7F3A0C1E-1111-4222-8333-944445555666']]);

  for (const [name, members, expected] of [
    [
      'that of its debug id, before one of its name, and read once',
      { debugIds, maps: [uploaded(), uploaded({ file: 'x.js', debugId: '7f3a0c1e111142228333944445555666' })] },
      ['x.js 1'],
    ],
    ['that of its name, when it has no debug id', { debugIds, maps: [uploaded()] }, ['~/static/app.js 1']],
    [
      'none with another debug id',
      { debugIds, maps: [uploaded({ debugId: 'other' })] },
      [
        'other_build',
        `The source map for ${URL_OF_BUNDLE} has the debug ID other, but the file of the event has 7F3A0C1E-1111-4222-8333-944445555666.`,
      ],
    ],
    ['a path that ends like its own', { maps: [uploaded({ file: 'app.js' })] }, ['app.js 1']],
    ['a longer path', { maps: [uploaded({ file: '/build/7/static/app.js.map' })] }, ['/build/7/static/app.js.map 1']],
    ['of a URL', { maps: [uploaded({ file: 'https://cdn.example/static/app.js' })] }, ['https://cdn.example/static/app.js 1']],
    ['the longest that fits', { maps: [uploaded({ file: 'app.js' }), uploaded()] }, ['~/static/app.js 1']],
    ['the newest', { maps: [uploaded({ uploadedAt: 2 }), uploaded({ uploadedAt: 3 }), uploaded()] }, ['~/static/app.js 3']],
    [
      'of the release of the event',
      {
        appRelease: '1.1',
        maps: [uploaded({ appRelease: '1.1' }), uploaded({ appRelease: '1.2', uploadedAt: 2 }), uploaded({ uploadedAt: 3 })],
      },
      ['~/static/app.js 1'],
    ],
    ['of any release, where the event names none', { maps: [uploaded({ appRelease: '1.1' })] }, ['~/static/app.js 1']],
    [
      'none of its folder',
      { maps: [uploaded({ file: 'other/app.js' })] },
      ['no_map', `No source map was uploaded for ${URL_OF_BUNDLE}.`],
    ],
    [
      'none at all',
      { maps: [], debugIds },
      ['no_map', `No source map was uploaded for ${URL_OF_BUNDLE} or the debug ID 7F3A0C1E-1111-4222-8333-944445555666.`],
    ],
    [
      'only of another release',
      { appRelease: '1.2', maps: [uploaded({ appRelease: '1.1' })] },
      ['other_release', `The source map for ${URL_OF_BUNDLE} was uploaded for 1.1, but the event is from 1.2.`],
    ],
    [
      'of the distribution of the event',
      { appRelease: '1', dist: 'b', maps: [uploaded({ dist: 'a' }), uploaded({ dist: 'b' }), uploaded({ uploadedAt: 3 })] },
      ['~/static/app.js 1'],
    ],
    [
      'only of another distribution',
      { dist: 'c', maps: [uploaded({ dist: 'a' }), uploaded({ dist: 'b' })] },
      ['other_dist', `The source map for ${URL_OF_BUNDLE} was uploaded for the distribution a, b, but the event is from c.`],
    ],
    [
      'several that fit alike',
      { maps: [uploaded({ file: 'a/static/app.js' }), uploaded({ file: 'b/static/app.js' })] },
      ['several_maps', `Several source maps match ${URL_OF_BUNDLE}: a/static/app.js, b/static/app.js.`],
    ],
  ] as const) {
    it(name, () => assert.deepEqual(reads(members), expected));
  }

  for (const [name, appRelease, maps, kind] of [
    ['of an application whose maps are all of others', 'api@1', ['page@1', 'page@2'], undefined],
    ['of an application with a map of another release', 'api@2', ['page@1', 'api@1'], 'no_map'],
    ['of an application, if a map is of any release', 'api@1', ['page@1', undefined], 'no_map'],
    ['of an application, if a map names a release without one', 'api@1', ['page@1', '1'], 'no_map'],
    ['of a release without an application', '1', ['page@1'], 'no_map'],
    ['of no release', undefined, ['page@1'], 'no_map'],
  ] as const) {
    it(`that no map was uploaded for a file ${name} is ${kind === undefined ? 'no problem' : 'a problem'}`, () => {
      const members = { appRelease, maps: maps.map((release) => uploaded({ file: 'other.js', appRelease: release })) };
      assert.equal(reads(members)[0], kind);
      assert.equal(reads({ ...members, debugIds })[0], 'no_map', 'a debug ID says that there is a map');
    });
  }

  it('no map is chosen for code of the engine and for sources, without a problem', () => {
    for (const filename of [
      'node:internal/modules/cjs/loader',
      '<anonymous>',
      '[native code]',
      'native',
      undefined,
      '/a/b.ts',
      'App.vue',
    ]) {
      const frame = trackedFrame({ filename, line: 1, column: 1 });
      assert.deepEqual(applySourceMaps([frame], metadata()), [{ frame, sent: undefined, problem: undefined }]);
    }
  });
});

describe('a mapped frame', () => {
  const problemOf = (frame: Frame, read: string = plain): string | undefined => {
    const [one] = applySourceMaps([frame], metadata({ read: readMap(read) }));
    if (one?.problem !== undefined) assert.deepEqual([one.frame, one.sent], [frame, undefined]);
    return one?.problem && `${one.problem.kind}: ${one.problem.text}`;
  };

  it('a mapped frame has the position in the map, and no data of the bundle', () => {
    const [one] = applySourceMaps([there], metadata());
    assert.deepEqual(one?.frame, {
      ...there,
      filename: 'src/a.ts',
      absPath: '../src/a.ts',
      module: undefined,
      // The name was created by a minifier.
      function: undefined,
      line: 2,
      column: 3,
      contextLine: 'two',
      preContext: ['one'],
      postContext: ['three'],
    });
  });

  it('a mapped frame in a library is not an application frame', () => {
    const read = readMap(plain.replace('../src/a.ts', '../node_modules/x/a.ts'));
    const [one] = applySourceMaps([there], metadata({ read }));
    assert.equal(one?.frame.inApp, false);
  });

  for (const [source, filename, inApp] of [
    ['webpack://shop/./src/a.ts', 'src/a.ts', true],
    ['webpack:///./src/App.vue?1a2b', 'src/App.vue', true],
    ['webpack:///../lib/node_modules/x/a.js', 'lib/node_modules/x/a.js', false],
    ['webpack://shop/webpack/bootstrap', 'webpack/bootstrap', false],
    ['webpack:///(webpack)/buildin/global.js', '(webpack)/buildin/global.js', false],
    ['turbopack://[project]/src/a.ts', 'src/a.ts', true],
    ['https://shop.example/src/a.ts', 'https://shop.example/src/a.ts', true],
    ['/srv/shop/src/a.ts', 'srv/shop/src/a.ts', true],
  ] as const) {
    it(`a mapped frame of the source ${source} is in ${filename}${inApp ? '' : ', as a library frame'}`, () => {
      const [one] = applySourceMaps([there], metadata({ read: readMap(plain.replace('../src/a.ts', source)) }));
      assert.deepEqual([one?.frame.filename, one?.frame.inApp], [filename, inApp]);
    });
  }

  it('a mapped frame has the name used by its caller, if the name occurs in its file', () => {
    const named = (content: string): (string | undefined)[] => {
      const mapped = applySourceMaps([there, there], metadata({ read: readMap(plain.replace('three', content)) }));
      return mapped.map(({ frame }) => frame.function);
    };
    assert.deepEqual(named('function x'), [undefined, 'x']);
    assert.deepEqual(named('function y'), [undefined, undefined]);
  });

  for (const [name, frame, expected] of [
    ['no column', { ...there, column: undefined }, 'no_position: The frame has no column number, which a source map needs.'],
    ['no line', { ...there, line: undefined }, 'no_position: The frame has no line number, which a source map needs.'],
    [
      'before the first mapping',
      { ...there, column: 4 },
      `no_mapping: The source map for ${URL_OF_BUNDLE} has no mapping for line 1, column 4.`,
    ],
    [
      'beyond the last line',
      { ...there, line: 2 },
      `no_mapping: The source map for ${URL_OF_BUNDLE} has no mapping for line 2, column 5.`,
    ],
    ['behind the last mapping of its line', { ...there, column: 99 }, undefined],
  ] as const) {
    it(`${name}: ${expected ?? 'mapped'}`, () => assert.equal(problemOf(frame), expected));
  }

  it('a map of another file is not used', () => {
    const of = (file: string): string => JSON.stringify({ ...JSON.parse(plain), file });
    assert.equal(
      problemOf(there, of('vendor.js')),
      `other_file: The source map uploaded for ${URL_OF_BUNDLE} belongs to vendor.js.`,
    );
    assert.equal(problemOf(there, of('static/app.js')), undefined);
    // A debug ID identifies a map with certainty.
    const proven = {
      debugIds: new Map([[comparablePath(URL_OF_BUNDLE), 'a1']]),
      maps: [uploaded({ debugId: 'A1' })],
      read: readMap(of('vendor.js')),
    };
    assert.equal(applySourceMaps([there], metadata(proven))[0]?.problem, undefined);
  });

  it('a frame without a source in the map has a problem', () => {
    for (const sent of [{ mappings: 'I' }, { sources: [null] }]) {
      assert.equal(
        problemOf(there, JSON.stringify({ ...JSON.parse(plain), ...sent })),
        `no_source: The source map for ${URL_OF_BUNDLE} has no source for line 1, column 5.`,
      );
    }
  });

  it('a frame with an unreadable map has a problem', () => {
    assert.equal(problemOf(there, 'x'), `unreadable: The source map for ${URL_OF_BUNDLE} cannot be read: it is no JSON.`);
  });
});

describe('reading a source map', () => {
  const sections = (...list: unknown[]): string => JSON.stringify({ version: 3, sections: list });
  const section = (line: number, column: number, source: string): unknown => ({
    offset: { line, column },
    map: { ...JSON.parse(plain), sources: [source] },
  });

  for (const [name, json] of [
    ['plain', plain],
    ['with the guard of servers', `)]}'\n${plain}`],
    ['with the guard and a word behind it', `)]}', x\n${plain}`],
    ['with a byte order mark', `\uFEFF${plain}`],
    ['without names and contents', '{"version":3,"sources":[],"mappings":""}'],
    [
      'with a root and a source that is not named',
      '{"version":3,"sources":[null],"names":[],"mappings":"AAAA","sourceRoot":"/x","sourcesContent":null}',
    ],
    ['of sections', sections(section(0, 0, 'a.ts'), section(0, 10, 'b.ts'), section(3, 0, 'c.ts'))],
    ['with members that nobody knows', plain.replace('{', '{"__proto__":{"sections":[]},"x_google_ignoreList":[0],')],
  ] as const) {
    it(`${name} is a source map`, () => assert.equal(problemOfSourceMap(Buffer.from(json), MAX_LENGTH), undefined));
  }

  for (const [name, json, problem] of [
    ['no JSON', '{', 'it is no JSON'],
    ['nothing', '', 'it is no JSON'],
    ['only a guard', ")]}'", 'it is no JSON'],
    ['a list', '[]', 'it is no JSON object'],
    ['version 2', plain.replace('3', '2'), 'its version is not 3'],
    ['a version in quotes', plain.replace('3', '"3"'), 'its version is not 3'],
    ['no mappings', '{"version":3,"sources":[]}', 'its mappings are not VLQ'],
    ['mappings of another alphabet', '{"version":3,"sources":[],"mappings":"AA!A"}', 'its mappings are not VLQ'],
    ['mappings that are a list', '{"version":3,"sources":[],"mappings":[[[0,0,0,0]]]}', 'its mappings are not VLQ'],
    [
      'too many mappings',
      JSON.stringify({ version: 3, sources: [], mappings: ';'.repeat(3_000_000) }),
      'it has more than 3000000 mappings',
    ],
    ['no sources', '{"version":3,"mappings":""}', 'its sources are no list of paths'],
    ['a source that is a number', '{"version":3,"sources":[1],"mappings":""}', 'its sources are no list of paths'],
    [
      'a source that is too long',
      JSON.stringify({ version: 3, sources: ['x'.repeat(4_097)], mappings: '' }),
      'its sources are no list of paths',
    ],
    [
      'too many sources',
      JSON.stringify({ version: 3, sources: Array(100_001).fill(null), mappings: '' }),
      'its sources are no list of paths',
    ],
    ['names that are numbers', '{"version":3,"sources":[],"names":[1],"mappings":""}', 'its names are no list of strings'],
    [
      'a content that is a number',
      '{"version":3,"sources":[],"sourcesContent":[1],"mappings":""}',
      'the content of its sources is no list of strings',
    ],
    ['a root that is a number', '{"version":3,"sources":[],"sourceRoot":1,"mappings":""}', 'its root is no path'],
    ['sections that are none', '{"version":3,"sections":{}}', 'its sections are no list of at most 10000'],
    ['a section without an offset', sections({ map: {} }), 'one of its sections has no offset'],
    ['an offset below nothing', sections(section(-1, 0, 'a.ts')), 'one of its sections has no offset'],
    ['sections in disorder', sections(section(1, 0, 'a.ts'), section(0, 9, 'b.ts')), 'its sections are not in order'],
    [
      'a section elsewhere',
      sections({ offset: { line: 0, column: 0 }, url: 'http://127.0.0.1/x' }),
      'one of its sections holds no map, and what it may refer to is not fetched',
    ],
    [
      'sections in a section',
      sections({ offset: { line: 0, column: 0 }, map: JSON.parse(sections()) }),
      'one of its sections has sections',
    ],
  ] as const) {
    it(`${name}: ${problem}`, () => assert.equal(problemOfSourceMap(Buffer.from(json), MAX_LENGTH), problem));
  }

  it('a source map can have the maximum size', () => {
    const bytes = Buffer.from(plain);
    assert.equal(problemOfSourceMap(bytes, bytes.length), undefined);
    assert.equal(
      problemOfSourceMap(bytes, bytes.length - 1),
      `it has ${bytes.length} bytes, and ${bytes.length - 1} are the most`,
    );
  });

  it('a deeply nested source map is refused with a message', () => {
    const deep = `{"version":3,"sources":${'['.repeat(200_000)}`;
    assert.equal(problemOfSourceMap(Buffer.from(deep), MAX_LENGTH), 'it is no JSON');
  });

  it('a position is looked up in its section, relative to its offset', () => {
    const read = readMap(sections(section(0, 0, 'a.ts'), section(0, 10, 'b.ts'), section(1_000_000_000, 2, 'c.ts')));
    const sourceAt = (line: number, column: number): string | undefined => {
      const [one] = applySourceMaps([{ ...there, line, column }], metadata({ read }));
      return one?.sent && one.frame.filename;
    };
    assert.deepEqual(
      [sourceAt(1, 5), sourceAt(1, 14), sourceAt(1, 15), sourceAt(2, 15), sourceAt(1_000_000_001, 7)],
      ['a.ts', undefined, 'b.ts', undefined, 'c.ts'],
    );
  });

  it('mappings with invalid indexes have no original position', () => {
    for (const mappings of [
      'IAgggggggE',
      'IADA',
      'I+/////DAAA',
      'IAFEA',
      'IACEggC',
      'AAAAA,D',
      'A'.repeat(1_000),
      'g'.repeat(1_000),
    ]) {
      const read = readMap(JSON.stringify({ ...JSON.parse(plain), mappings }));
      const [one] = applySourceMaps([there], metadata({ read }));
      assert.ok(['no_mapping', 'no_source'].includes(one?.problem?.kind ?? '') || one?.frame.filename === 'src/a.ts', mappings);
      assert.ok((one?.frame.line ?? 0) >= 1, mappings);
    }
  });

  it('with any source map, frames are mapped or have a problem', () => {
    const member = fc.constantFrom('version', 'file', 'sources', 'names', 'mappings', 'sourcesContent', 'sourceRoot', 'sections');
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: fc.constantFrom(...'AaCcgD/+,;') }),
      fc.constant([section(0, 0, 'a.ts')]),
    );
    fc.assert(
      fc.property(fc.dictionary(member, value), fc.integer(), fc.integer(), (members, line, column) => {
        const read = readMap(JSON.stringify({ ...JSON.parse(plain), ...members }));
        const [one] = applySourceMaps([{ ...there, line, column }], metadata({ read }));
        if (one?.problem === undefined) assert.ok((one?.frame.line ?? 0) >= 1 && (one?.frame.column ?? 0) >= 1);
        else assert.match(one.problem.text, /\.$/);
      }),
      { numRuns: 300 },
    );
  });
});
