import assert from 'node:assert/strict';
import { cleanPath } from '../../../../server/features/errorTracking/grouping/filePaths.ts';
import { cleanFrame as cleanFrameOf, type CleanFrame } from '../../../../server/features/errorTracking/grouping/frameNames.ts';
import { cleanFunction } from '../../../../server/features/errorTracking/grouping/functionNames.ts';
import { cleanModule } from '../../../../server/features/errorTracking/grouping/generatedNames.ts';
import type { Frame } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { trackedFrame } from '../trackedEvents.ts';

// Parts of a frame that are used for grouping (docs/interface.md#grouping).

describe('cleaned paths', () => {
  for (const [sent, expected] of [
    ['/srv/app/dist/main.js', 'dist/main.js'],
    ['main.py', 'main.py'],
    ['/main.py', 'main.py'],
    ['./src/Main.py', 'src/main.py'],
    ['./main.py', 'main.py'],
    ['~/static/App.js', 'static/app.js'],
    ['C:\\Users\\Me\\Project\\x.cs', 'project/x.cs'],
    ['\\\\?\\C:\\x.cs', 'x.cs'],
    ['\\\\server\\share\\x.cs', 'share/x.cs'],
    ['file:///home/u/x.js', 'u/x.js'],
    ['https://example.com/static/js/app.js?v=17#top', 'js/app.js'],
    ['https://example.com/app.js', 'app.js'],
    ['https://example.com/app.js#/route/a', 'app.js'],
    ['https://example.com/', '/'],
    ['https://example.com', '/'],
    ['webpack:///./src/x.js', 'src/x.js'],
    ['webpack:///x.js', 'x.js'],
    ['webpack://shop/x.js', 'x.js'],
    ['webpack-internal:///./src/x.js', 'src/x.js'],
    ['app:///x.js', 'x.js'],
    ['/home/c#/shop/x.js', 'shop/x.js'],
    ['dist/main.3f2a9c1b.js', 'dist/main.<hash>.js'],
    ['js/2.3f2a9c1b.chunk.js', 'js/<n>.<hash>.chunk.js'],
    ['assets/index-DiwrgTda.js', 'assets/index-<hash>.js'],
    ['assets/index-B_3k-9aZ.js', 'assets/index-<hash>.js'],
    ['assets/page-settings.js', 'assets/page-settings.js'],
    ['dist/chunk-QWERTZ23.js', 'dist/chunk-<hash>.js'],
    ['dist/page-UserList.js', 'dist/page-userlist.js'],
    ['lib/jquery-3.7.1.min.js', 'lib/jquery-<version>.min.js'],
    ['/opt/shop-v1.2.3/run.rb', 'shop-<version>/run.rb'],
    ['/srv/releases/20260102030405/run.rb', '<n>/run.rb'],
    ['blob:https://example.com/7f3a0c1e-1111-4222-8333-944445555666', '<hash>'],
    ['lib/http2.js', 'lib/http2.js'],
    ['lib/base64_decode.py', 'lib/base64_decode.py'],
    ['api/v1/users.py', 'v1/users.py'],
    ['<anonymous>', ''],
    ['data:text/javascript;base64,eA==', ''],
    ['<frozen importlib._bootstrap>', '<frozen importlib._bootstrap>'],
    ['', ''],
    ['///', ''],
  ] as const) {
    it(`${sent === '' ? 'none' : sent} → ${expected === '' ? 'nothing' : expected}`, () => {
      assert.equal(cleanPath(sent), expected);
    });
  }
});

describe('cleaned function names', () => {
  for (const [sent, expected] of [
    ['load', 'load'],
    ['Object.load', 'load'],
    ['async Object.load', 'load'],
    ['async load', 'load'],
    ['Store.load', 'Store.load'],
    ['Layer.handle [as handle_request]', 'Layer.handle'],
    ['new Store', 'new Store'],
    ['Object.<anonymous>', ''],
    ['?', ''],
    ['<lambda>', ''],
    ['<module>', '<module>'],
    ['{closure}', ''],
    ['{closure:/srv/app/x.php:12}', ''],
    ['App\\Shop::{closure:App\\Shop::run():12}', 'App\\Shop::{closure}'],
    ['class@anonymous\0/srv/x.php:3$0::run', 'class@anonymous::run'],
    ['block (2 levels) in each', 'block in each'],
    ['block in each', 'block in each'],
    ['_app_views_show_html_erb__123456_7890', '_app_views_show_html_erb'],
    ['lambda$run$12', 'lambda$run'],
    ['lambda$run$0$3', 'lambda$run$0'],
    ['fn__123', 'fn'],
    ['shop::run::h0123456789abcdef', 'shop::run'],
    ['shop::run::{closure#0}', 'shop::run::{closure}'],
    ['shop::run::{{closure}}', 'shop::run::{{closure}}'],
    ['main.func1', 'main.func'],
    ['(*Store).Load.func1.2', '(*Store).Load.func'],
    ['<Run>b__12_0', '<Run>b'],
    ['<>c__DisplayClass12_0.<Run>b__0', '<>c__DisplayClass.<Run>b'],
    ['sha256', 'sha256'],
    ['', ''],
  ] as const) {
    it(`${JSON.stringify(sent)} → ${expected === '' ? 'nothing' : expected}`, () => {
      assert.equal(cleanFunction(sent), expected);
    });
  }
});

describe('cleaned modules', () => {
  for (const [sent, expected] of [
    ['com.acme.Shop', 'com.acme.Shop'],
    ['com.acme.Foo$$Lambda$12/0x0000000800c03000', 'com.acme.Foo$$Lambda'],
    ['com.acme.Foo$$Lambda/0x00007f0123456789', 'com.acme.Foo$$Lambda'],
    ['com.acme.Foo$1', 'com.acme.Foo$1'],
    ['jdk.internal.reflect.GeneratedMethodAccessor123', 'jdk.internal.reflect.GeneratedMethodAccessor'],
    ['com.acme.Foo$$EnhancerBySpringCGLIB$$1a2b3c4d', 'com.acme.Foo$$CGLIB'],
    ['com.acme.Foo$$SpringCGLIB$$0', 'com.acme.Foo$$CGLIB'],
    ['com.acme.Foo_$$_jvst123_4', 'com.acme.Foo_$$_javassist'],
    ['com.acme.Foo$HibernateProxy$aB3dE', 'com.acme.Foo$HibernateProxy'],
    ['com.sun.proxy.$Proxy42', 'com.sun.proxy.$Proxy'],
    ['shop.core$fn__123', 'shop.core$fn'],
    ['main.3f2a9c1b', 'main.<hash>'],
    ['github.com/acme/shop/v2', 'github.com/acme/shop/v2'],
    ['net/http2', 'net/http2'],
  ] as const) {
    it(`${sent} → ${expected}`, () => {
      assert.equal(cleanModule(sent), expected);
    });
  }
});

describe('cleaned frames', () => {
  const cleanFrame = (frame: Frame): CleanFrame => cleanFrameOf(frame, 'python');

  it('a frame is identified by module before file, and by function name before the line of source', () => {
    const frame = trackedFrame({ module: 'shop.cart', filename: 'a/b.py', function: 'add', contextLine: 'x = 1' });
    assert.deepEqual(cleanFrame(frame), {
      inApp: true,
      location: 'shop.cart',
      name: 'add',
      isLine: false,
      isNative: false,
      key: '9:shop.cart.add',
    });
    assert.equal(cleanFrame({ ...frame, module: '' }).location, 'a/b.py');
    assert.equal(cleanFrame({ ...frame, module: undefined, filename: undefined, absPath: '/x/y/z.py' }).location, 'y/z.py');
  });

  it('a frame with neither function nor line of source nor module has no key', () => {
    assert.equal(cleanFrame(trackedFrame({ filename: 'a.js' })).key, '');
    assert.equal(
      cleanFrame(trackedFrame({ filename: 'https://shop.example/app.min.js', function: '?', line: 1, column: 9 })).key,
      '',
    );
    assert.notEqual(cleanFrame(trackedFrame({ filename: 'a.js', contextLine: 'fail()' })).key, '');
    assert.equal(cleanFrame(trackedFrame({ contextLine: 'x = 1' })).key, '');
    assert.equal(cleanFrame(trackedFrame({ filename: '<anonymous>', function: '?', line: 3 })).key, '');
    assert.notEqual(cleanFrame(trackedFrame({ function: 'f' })).key, '');
    assert.notEqual(cleanFrame(trackedFrame({ module: 'shop.cart' })).key, '');
  });

  it('a line of source is cut to 120 characters, and is not a function name', () => {
    const { name, isLine, key } = cleanFrame(trackedFrame({ filename: 'a.js', contextLine: ` ${'ab  '.repeat(500)}` }));
    assert.deepEqual([name, isLine], ['ab '.repeat(40), true]);
    assert.notEqual(key, cleanFrame(trackedFrame({ filename: 'a.js', function: name })).key);
  });

  it('a native frame without a file is identified by the file of its package', () => {
    const frame = trackedFrame({
      function: 'add',
      package: '/data/app/~~Ab12==/lib/arm64/libshop.so',
      instructionAddress: '0x7f00',
    });
    assert.equal(cleanFrame(frame).location, 'libshop.so');
    assert.equal(cleanFrame({ ...frame, package: 'C:\\Shop\\shop.dll' }).location, 'shop.dll');
    assert.equal(cleanFrame({ ...frame, filename: 'src/cart.c' }).location, 'src/cart.c');
    assert.equal(cleanFrame({ ...frame, function: undefined }).key, '');
  });

  it('long members of a frame are truncated before they are cleaned', () => {
    for (const piece of ['a', '1', '$', '.', '/', '__1', '$$Lambda', 'a1', ' ', '{closure:', '<', '\0', '-', '1.', 'func1.']) {
      const sent = piece.repeat(100_000);
      const { location, name } = cleanFrame(trackedFrame({ filename: sent, function: sent, contextLine: sent }));
      // Two segments of 128 characters and a name of 256. Replacements are less than five times as long: `<hash>` for seven
      // characters, `<n>` for one.
      assert.ok(location.length <= 2 * 128 * 3 + 1, `${piece}: ${location.length}`);
      assert.ok(name.length <= 256, `${piece}: ${name.length}`);
      assert.equal(cleanFunction(sent), cleanFunction(sent.slice(0, 256)), piece);
      assert.equal(cleanModule(sent), cleanModule(sent.slice(0, 256)), piece);
    }
  });
});
