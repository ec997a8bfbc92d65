import type { TrackedEvent } from '../../../../../server/features/errorTracking/event/trackedEvent.ts';
import type { JsonObject } from '../../../../../src/contract/json.ts';
import { ingested, normalised } from '../../reading.ts';
import { corpus } from './corpus.ts';
import { thrownInExpress, twoThrows } from './throws.ts';

/** Events of all SDKs, and events that later rules group in another way, by name. */
export async function formerEvents(): Promise<ReadonlyMap<string, TrackedEvent>> {
  const events = new Map<string, TrackedEvent>();
  for (const sample of corpus) {
    const { events: read } = await ingested(sample);
    for (const event of read) events.set(`SDK: ${sample.name}`, event);
  }
  for (const [name, payload] of madeUp()) events.set(name, normalised(payload));
  return events;
}

export function* madeUp(): Generator<readonly [name: string, payload: JsonObject], void, undefined> {
  for (const { language, left, right } of twoThrows) {
    yield [`throw in ${language}, left`, left];
    yield [`throw in ${language}, right`, right];
  }
  yield ['a text thrown in Express', thrownInExpress('no wind for 7 days')];
  for (const name of browserFunctions)
    yield [`function ${name}`, withFrames('javascript', [{ filename: 'app/a.js', function: name }])];
  for (const name of otherFunctions) yield [`function ${name}`, withFrames('other', [{ filename: 'app/a.js', function: name }])];
  for (const path of paths) yield [`path ${path}`, withFrames('javascript', [{ filename: path, function: 'start' }])];
  for (const module of modules) yield [`module ${module}`, withFrames('java', [{ module, function: 'run' }])];
  yield* Object.entries(others);
}

const browserFunctions = [
  'Cart.add',
  'add',
  'Cart.prototype.add',
  'new Cart',
  'async add',
  'async*add',
  't.<anonymous>',
  'Anonymous function',
  'add/<',
  'eval',
  'eval code',
  'Array.map',
  'x.run [as y]',
  'get total',
  'HTMLButtonElement.onclick',
  'Object.add',
  '?',
];

const otherFunctions = [
  'lambda$run$12',
  'fn__123',
  'shop::run::h0123456789abcdef',
  '__rustc[5224e6b81cd82a8f]::rust_begin_unwind',
  'main.func1',
  '(*Store).Load.func1.2',
  '<Run>b__12_0',
  '<>c__DisplayClass12_0.<Run>b__0',
  '<Run>d__12.MoveNext',
  '{closure:/srv/app/x.php:12}',
  'class@anonymous\0/srv/x.php:3$0::run',
  'block (2 levels) in each',
  '_app_views_show_html_erb__123456_7890',
  '_app_views_show_html_erb___123456_7890',
];

const paths = [
  'https://shop.example/_app/immutable/chunks/DiwrgTda.js',
  'https://shop.example/_nuxt/entry.DiwrgTda.js',
  '/assets/index-DiwrgTda.js',
  'dist/chunk-QWERTZ23.js',
  'dist/main.3f2a9c1b.js',
  '/srv/releases/20260102030405/run.rb',
  'lib/jquery-3.7.1.min.js',
  '/srv/app/my%20shop/%5Bslug%5D.js',
  'C:\\Users\\Me\\Project\\x.cs',
  'webpack:///./src/x.js',
  'https://example.com/app.js#/route/a',
  'blob:https://example.com/7f3a0c1e-1111-4222-8333-944445555666',
  'static/js/main.12345678.js',
  '/tmp/tmpx8k2m9_1/script.py',
];

const modules = [
  'com.acme.Shop',
  'com.acme.Foo$$Lambda$12/0x0000000800c03000',
  'jdk.internal.reflect.GeneratedMethodAccessor123',
  'com.acme.Foo$$SpringCGLIB$$0',
  'main.3f2a9c1b',
  'github.com/acme/shop/v2',
];

const own = (name: string): JsonObject => ({ filename: `app/${name}.py`, function: name, in_app: true });
const library = (name: string): JsonObject => ({ module: `org.framework.${name}`, function: name, in_app: false });
const numbered = (count: number, of: (name: string) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, at) => of(`step${'x'.repeat(at % 40)}${'y'.repeat(Math.floor(at / 40))}`));

function withFrames(platform: string, frames: readonly JsonObject[], type = 'TypeError'): JsonObject {
  return { platform, exception: { values: [{ type, value: 'x is 17', stacktrace: { frames } }] } };
}

function failure(type: string, value: string, frames: readonly JsonObject[], mechanism: JsonObject = {}): JsonObject {
  return { type, value, stacktrace: { frames }, mechanism: { type: 'generic', ...mechanism } };
}

const others: Readonly<Record<string, JsonObject>> = {
  '50 frames': withFrames('python', numbered(50, own)),
  '51 frames': withFrames('python', numbered(51, own)),
  '120 frames, those of the program in the middle': withFrames('java', [
    ...numbered(55, library),
    ...numbered(10, own),
    ...numbered(55, library),
  ]),
  '400 frames of a recursion': withFrames('python', [
    own('main'),
    ...Array.from({ length: 398 }, () => own('walk')),
    own('leaf'),
  ]),
  '300 frames of an event': { platform: 'php', stacktrace: { frames: numbered(300, own) } },
  '90 frames of a thread': { threads: { values: [{ crashed: true, stacktrace: { frames: numbered(90, own) } }] } },
  '12 exceptions': {
    platform: 'java',
    exception: { values: Array.from({ length: 12 }, (_, at) => failure(`E${'x'.repeat(at)}`, 'x', [own('run')])) },
  },
  'an exception group of three': {
    platform: 'python',
    exception: {
      values: [
        failure('OSError', 'a', [own('one')], { exception_id: 3, parent_id: 0 }),
        failure('KeyError', 'b', [own('two')], { exception_id: 2, parent_id: 0 }),
        failure('KeyError', 'b', [own('two')], { exception_id: 1, parent_id: 0 }),
        failure('ExceptionGroup', 'g', [own('main')], { exception_id: 0, is_exception_group: true }),
      ],
    },
  },
  'a fingerprint with variables': {
    ...withFrames('python', [own('run')]),
    transaction: '/a',
    fingerprint: ['{{ transaction }}', '{{ type }}'],
  },
  'a fingerprint with the default and a variable': {
    ...withFrames('python', [own('run')]),
    transaction: '/a',
    fingerprint: ['{{default}}', '{{ transaction }}'],
  },
  'a fingerprint without variables': { ...withFrames('python', [own('run')]), fingerprint: ['db-down', 17] },
  'a checksum': { message: 'm', checksum: 'abc' },
  'unnamed functions of one file': withFrames('javascript', [
    { filename: 'https://shop.example/app.min.js', function: '?', lineno: 1, colno: 9 },
  ]),
  'a synthetic type': {
    platform: 'native',
    exception: {
      values: [
        failure('SIGSEGV', 'Segmentation fault', [own('run')], { synthetic: true, meta: { signal: { name: 'SIGSEGV' } } }),
      ],
    },
  },
  'native frames': withFrames('native', [{ package: '/usr/lib/libshop.so', instruction_addr: '0x7f00', function: 'run' }]),
  'a message with parts that vary': { message: 'user 17 has no address at 2026-01-02T03:04:05Z', logger: 'mail' },
  'a template': { logentry: { message: 'Slow query %s', params: ['a'] }, platform: 'python' },
  nothing: {},
};
