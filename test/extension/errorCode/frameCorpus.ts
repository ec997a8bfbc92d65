/** Stack frame, and what it is in the workspace below. */
export interface CorpusFrame {
  readonly language: 'Python' | 'JavaScript' | 'Java' | 'Go' | 'PHP' | 'Ruby' | 'Rust';
  /**
   * File with the frame: in this repository, or `owner/repository path` for the tests of an SDK on GitHub. In `otherForms`, the program
   * whose paths have this form.
   */
  readonly source: string;
  readonly filename: string;
  readonly absPath: string | null;
  readonly module: string | null;
  /** Path of the file in the workspace; `none` for no file; `ask` if the user has to decide. */
  readonly expected: string;
}

/** Files of the open folders: a repository with programs in all languages, and files that only have the name of those of libraries. */
export const corpusFiles: Readonly<Record<string, readonly string[]>> = {
  '/w/shop': [
    ...['ship.py', 'ship.js', 'ship.rb', 'ship.php', 'main.go', 'shop/orders.py', 'shop/db.py', 'app/Orders.php'],
    ...['app/models/order.rb', 'internal/orders/orders.go', 'internal/orders/store.go', 'src/orders.rs', 'src/main.rs'],
    ...['src/main/java/com/example/shop/Orders.java', 'src/main/java/com/example/shop/Cart.java'],
    ...['src/main/kotlin/com/example/shop/Billing.kt', 'web/src/App.tsx', 'web/src/routes/index.ts', 'web/pages/cart.tsx'],
    ...['web/src/cart.mjs', 'admin/src/App.tsx', 'admin/src/routes/index.ts', 'services/orders/server.js'],
    ...['services/gates/server.js', 'services/orders/lib/greet.js', 'dist/orders.js', 'node_modules/express/lib/router/layer.js'],
  ],
  '/w/portal': [
    ...[
      'app.rb',
      'hello.py',
      'app/models/user.rb',
      'app/components/replays/replayContext.tsx',
      'app/utils/genericDiscoverQuery.tsx',
    ],
    ...['app/api.tsx', 'admin/api.tsx', 'web/src/components/test/test.jsx', 'web/test.js', 'admin/test.js', 'web/js/file.js'],
    ...[
      'web/src/pages/index.js',
      'admin/src/pages/index.js',
      'web/src/components/Button.js',
      'path/to/file.js',
      'edge/test/mod.test.ts',
    ],
    ...['mobile/src/components/GpsMonitorScene.js', 'desktop/electron/src/common/models/ipc-request.ts'],
    ...['web/src/app/file1.js', 'admin/src/app/file1.js', 'web/src/app/file2.js', 'lambda/index.js', 'lambda/utils.js'],
    ...['data-uri-tests/index.mjs', 'public/index.php', 'admin/index.php', 'lib/function.php', 'class.php'],
    ...[
      'some_project/__init__.py',
      'some_project/exclude_me/some_module.py',
      'lib/foo/bar.py',
      'test.py',
      'src/main/java/com/example/MyClass.java',
    ],
    ...['src/main/java/com/example/other/AnotherClass.java', 'app/routing.py', 'cmd/foo.go'],
  ],
  '/w/tools': [
    ...[
      'js/layer.js',
      'js/index.js',
      'js/loader.js',
      'rb/head.rb',
      'rb/base.rb',
      'rb/hooks.rb',
      'rb/some_gem.rb',
      'py/decoder.py',
      'py/base.py',
      'py/app.py',
    ],
    ...[
      'java/Thread.java',
      'java/Object.java',
      'java/Handler.java',
      'java/test.java',
      'java/Orders.java',
      'go/server.go',
      'go/testing.go',
      'go/cron.go',
      'go/y.go',
      'go/orders.go',
      'rs/rt.rs',
      'php/Kernel.php',
    ],
    ...['php/Factory.php', 'js/react-dom.development.js', 'js/task_queues.js', 'rs/main.rs'],
  ],
};

export const corpusModules = [{ name: 'github.com/acme/shop', folder: '/w/shop' }];

const CORPUS = 'test/server/errorTracking/grouping/corpus';
const PYTHON = 'getsentry/sentry-python tests';
const BROWSER = 'getsentry/sentry-javascript packages/browser/test/tracekit';
const CORE = 'getsentry/sentry-javascript packages/core/test/lib';
const NEXT = 'getsentry/sentry-javascript packages/nextjs/test';
const JAVA = 'getsentry/sentry-java sentry-android-core/src/test/java/io/sentry/android/core/anr';
const RUBY = 'getsentry/sentry-ruby sentry-ruby/spec/sentry';
const SENTRY = 'getsentry/sentry tests/sentry/grouping/grouping_inputs';

const frames =
  (language: CorpusFrame['language']) =>
  (
    source: string,
    filename: string,
    expected: string,
    absPath: string | null = null,
    module: string | null = null,
  ): CorpusFrame => ({
    ...{ language, source, filename, absPath, module, expected },
  });
const [python, javascript, java, go, php, ruby, rust] = [
  frames('Python'),
  frames('JavaScript'),
  frames('Java'),
  frames('Go'),
  frames('PHP'),
  frames('Ruby'),
  frames('Rust'),
];

/** Frames in the tests of SDKs, and those that SDKs have sent to the tests of this repository. */
export const corpus: readonly CorpusFrame[] = [
  // Sent by SDKs.
  python(`${CORPUS}/throws.ts`, 'ship.py', '/w/shop/ship.py', '/srv/ship/ship.py', '__main__'),
  python(`${CORPUS}/former.ts`, 'ship/ship.py', '/w/shop/ship.py', '/srv/ship/ship.py'),
  python(`${CORPUS}/python.ts`, 'site-packages/flask/app.py', 'none', '/usr/lib/python3/site-packages/flask/app.py'),
  python(`${CORPUS}/former.ts`, 'raven/base.py', 'ask', '/srv/packages/raven/base.py'),
  javascript(`${CORPUS}/javascript.ts`, 'node:internal/process/task_queues', 'none'),
  javascript(
    `${CORPUS}/javascript.ts`,
    '/srv/app/node_modules/express/lib/router/layer.js',
    '/w/shop/node_modules/express/lib/router/layer.js',
  ),
  javascript(`${CORPUS}/javascript.ts`, '/srv/app/dist/orders.js', '/w/shop/dist/orders.js'),
  javascript(`${CORPUS}/throws.ts`, '/srv/ship/ship.js', '/w/shop/ship.js', null, 'ship'),
  javascript(`${CORPUS}/throws.ts`, 'node:internal/modules/cjs/loader', 'none', null, 'loader'),
  javascript(`${CORPUS}/throws.ts`, '/srv/node_modules/@sentry/core/build/cjs/integrations/express/index.js', 'none'),
  javascript(`${CORPUS}/javascript.ts`, 'http://localhost:5173/assets/index.3f2a9c1b.js', 'none'),
  javascript(`${CORPUS}/javascript.ts`, '<anonymous>', 'none'),
  javascript(`${CORPUS}/javascript.ts`, 'http://localhost/a.js', 'none'),
  java(`${CORPUS}/compiled.ts`, 'Thread.java', 'none', null, 'java.lang.Thread'),
  java(`${CORPUS}/compiled.ts`, 'NativeMethodAccessorImpl.java', 'none', null, 'jdk.internal.reflect.NativeMethodAccessorImpl'),
  java(
    `${CORPUS}/compiled.ts`,
    'Orders.java',
    '/w/shop/src/main/java/com/example/shop/Orders.java',
    null,
    'com.example.shop.Orders',
  ),
  java(`${CORPUS}/former.ts`, 'Ship.java', 'none', null, 'Ship'),
  go(`${CORPUS}/compiled.ts`, 'main.go', '/w/shop/main.go', '/srv/shop/main.go', 'main'),
  go(`${CORPUS}/compiled.ts`, 'y.go', 'none', '/home/ship/go/pkg/mod/github.com/x/y@v1.2.3/y.go', 'github.com/x/y'),
  php(`${CORPUS}/phpAndRuby.ts`, '/vendor/laravel/framework/Kernel.php', 'none', '/srv/shop/vendor/laravel/framework/Kernel.php'),
  php(`${CORPUS}/phpAndRuby.ts`, '/app/Orders.php', '/w/shop/app/Orders.php', '/srv/shop/app/Orders.php'),
  php(`${CORPUS}/throws.ts`, '/ship.php', '/w/shop/ship.php', '/srv/ship/ship.php'),
  ruby(`${CORPUS}/phpAndRuby.ts`, 'rack/head.rb', 'none', '/usr/local/bundle/gems/rack-3.1.0/lib/rack/head.rb'),
  ruby(`${CORPUS}/phpAndRuby.ts`, 'app/models/order.rb', '/w/shop/app/models/order.rb', '/srv/shop/app/models/order.rb'),
  ruby(`${CORPUS}/throws.ts`, 'ship.rb', '/w/shop/ship.rb', 'ship.rb'),
  rust(`${CORPUS}/compiled.ts`, 'rt.rs', 'none', '/rustc/abc/library/std/src/rt.rs'),
  rust(`${CORPUS}/compiled.ts`, 'orders.rs', '/w/shop/src/orders.rs', '/srv/shop/src/orders.rs'),

  // The tests of sentry-python.
  python(`${PYTHON}/utils/test_general.py`, 'test.py', '/w/portal/test.py'),
  python(`${PYTHON}/utils/test_general.py`, 'path/to/foo/bar.py', 'ask'),
  python(
    `${PYTHON}/utils/test_general.py`,
    'fastapi/routing.py',
    'none',
    '/home/ubuntu/fastapi/.venv/lib/python3.10/site-packages/fastapi/routing.py',
    'fastapi.routing',
  ),
  python(
    `${PYTHON}/utils/test_general.py`,
    'fastapi/routing.py',
    'none',
    '/usr/lib/python2.7/dist-packages/fastapi/routing.py',
    'fastapi.routing',
  ),
  python(
    `${PYTHON}/utils/test_general.py`,
    'fastapi/routing.py',
    'none',
    'C:\\Users\\winuser\\AppData\\Roaming\\Python\\Python35\\site-packages\\fastapi\\routing.py',
    'fastapi.routing',
  ),
  python(
    `${PYTHON}/test_tracing_utils.py`,
    'some_project/__init__.py',
    '/w/portal/some_project/__init__.py',
    '/home/username/some_project/some_project/__init__.py',
    'some_project',
  ),
  python(
    `${PYTHON}/test_tracing_utils.py`,
    'some_project/exclude_me/some_module.py',
    '/w/portal/some_project/exclude_me/some_module.py',
    '/home/username/some_project/some_project/exclude_me/some_module.py',
    'some_project.exclude_me.some_module',
  ),
  // A frame of Python in an image, in the tests of sentry-rust.
  python(
    'getsentry/sentry-rust sentry-types/tests/test_protocol_v7.rs',
    'hello.py',
    '/w/portal/hello.py',
    '/app/hello.py',
    'hello',
  ),
  // The tests of sentry-javascript.
  javascript(`${BROWSER}/chromium.test.ts`, 'native', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'native code', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'eval code', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'webpack:///./~/react-proxy/modules/createPrototypeProxy.js?', 'none'),
  javascript(
    `${BROWSER}/chromium.test.ts`,
    'webpack:///./src/components/test/test.jsx?',
    '/w/portal/web/src/components/test/test.jsx',
  ),
  javascript(`${BROWSER}/chromium.test.ts`, 'webpack/runtime/ensure chunk', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'blob:http%3A//localhost%3A8080/abfc40e9-4742-44ed-9dcd-af8f99a29379', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'examplescheme://examplehost/cd351f7250857e22ceaa.worker.js', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'http://localhost:5000/test', 'none'),
  javascript(`${BROWSER}/react.test.ts`, 'http://localhost:5000/static/js/foo.chunk.js', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'http://localhost:5000/(group)/[route]/script.js', 'none'),
  javascript(`${BROWSER}/chromium.test.ts`, 'C:\\Users\\user\\path\\to\\file.js', '/w/portal/path/to/file.js'),
  javascript(`${BROWSER}/chromium.test.ts`, 'react-dom.development.js?f8c1', '/w/tools/js/react-dom.development.js'),
  javascript(`${BROWSER}/chromium.test.ts`, 'genericDiscoverQuery.tsx?33f8', '/w/portal/app/utils/genericDiscoverQuery.tsx'),
  javascript(`${BROWSER}/chromium.test.ts`, 'api.tsx', 'ask'),
  javascript(`${BROWSER}/chromium.test.ts`, '/_static/dist/sentry/chunks/app_bootstrap_initializeLocale_tsx.abcdefg.js', 'none'),
  javascript(
    `${BROWSER}/chromium.test.ts`,
    'file:///Users/tim/Documents/Repositories/data-uri-tests/index.mjs',
    '/w/portal/data-uri-tests/index.mjs',
  ),
  javascript(`${BROWSER}/chromium.test.ts`, '<data:application/javascript>', 'none'),
  javascript(`${BROWSER}/firefox.test.ts`, 'file:///G:/js/file.js', 'ask'),
  javascript(`${BROWSER}/firefox.test.ts`, 'http://127.0.0.1:8000/js/file.js', '/w/portal/web/js/file.js'),
  javascript(`${BROWSER}/firefox.test.ts`, 'resource://path/data/content/bundle.js', 'none'),
  javascript(`${BROWSER}/firefox.test.ts`, 'https://www.random_website.com/main.4a4119c3cdfd10266d84.js', 'none'),
  javascript(`${BROWSER}/firefox.test.ts`, 'http://localhost:3002/_next/static/chunks/app/(group)/[route]/script.js', 'none'),
  javascript(
    `${BROWSER}/misc.test.ts`,
    './app/components/replays/replayContext.tsx',
    '/w/portal/app/components/replays/replayContext.tsx',
  ),
  javascript(`${BROWSER}/misc.test.ts`, '../node_modules/@sentry/rrweb/es/rrweb/packages/rrweb/src/replay/index.js', 'none'),
  javascript(`${BROWSER}/react-native.test.ts`, 'index.android.bundle', 'none'),
  javascript(`${BROWSER}/react-native.test.ts`, '[native code]', 'none'),
  javascript(
    `${BROWSER}/react-native.test.ts`,
    '/home/username/sample-workspace/sampleapp.collect.react/src/components/GpsMonitorScene.js',
    '/w/portal/mobile/src/components/GpsMonitorScene.js',
  ),
  javascript(
    `${BROWSER}/react-native.test.ts`,
    '/home/username/sample-workspace/sampleapp.collect.react/node_modules/react-native/Libraries/Renderer/src/renderers/native/ReactNativeBaseComponent.js',
    'none',
  ),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, '/www/src/app/file1.js', 'ask'),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, 'C:\\www\\src\\app\\file1.js', 'ask'),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, 'c:\\www\\src\\app\\file2.js', '/w/portal/web/src/app/file2.js'),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, 'www\\src\\app\\file2.js', '/w/portal/web/src/app/file2.js'),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, 'app:///src/app/file1.js', 'ask'),
  javascript(`${CORE}/integrations/rewriteframes.test.ts`, 'app:///file1.js', 'ask'),
  javascript(`${CORE}/utils/debug-ids.test.ts`, 'file:///var/task/index.js', 'ask'),
  javascript(`${CORE}/utils/debug-ids.test.ts`, '/var/task/utils.js', '/w/portal/lambda/utils.js'),
  javascript(`${CORE}/utils/stacktrace.test.ts`, 'app:///_next/server/pages/[error].js', 'none'),
  javascript(`${CORE}/utils/stacktrace.test.ts`, '/path/to/node_modules/myModule/index.js', 'none'),
  javascript(
    `${CORE}/utils/normalize-url.test.ts`,
    'app:///electron/src/common/models/ipc-request.ts',
    '/w/portal/desktop/electron/src/common/models/ipc-request.ts',
  ),
  javascript(
    'getsentry/sentry-javascript packages/deno/test/__snapshots__/mod.test.ts.snap',
    'app:///test/mod.test.ts',
    '/w/portal/edge/test/mod.test.ts',
  ),
  javascript(`${NEXT}/common/devErrorSymbolicationEventProcessor.test.ts`, 'webpack-internal:///./test.js', 'ask'),
  javascript(`${NEXT}/config/getBuildPluginOptions.test.ts`, 'webpack://_N_E/src/pages/index.js', 'ask'),
  javascript(
    `${NEXT}/config/getBuildPluginOptions.test.ts`,
    'webpack://project/src/components/Button.js',
    '/w/portal/web/src/components/Button.js',
  ),
  javascript(
    'getsentry/sentry-javascript packages/sveltekit/test/server-common/integrations/rewriteFramesIntegration.test.ts',
    'app:///chunks/3-ab34d22f.js',
    'none',
  ),
  // The tests of sentry-java.
  java(
    `${JAVA}/AnrStackTraceConverterTest.kt`,
    'MyClass.java',
    '/w/portal/src/main/java/com/example/MyClass.java',
    null,
    'com.example.MyClass',
  ),
  java(`${JAVA}/AnrStackTraceConverterTest.kt`, 'AnotherClass.java', 'none', null, 'com.example.AnotherClass'),
  java(`${JAVA}/AnrCulpritIdentifierTest.kt`, 'Object.java', 'none', null, 'java.lang.Object'),
  java(`${JAVA}/AnrCulpritIdentifierTest.kt`, 'Handler.java', 'none', null, 'android.os.Handler'),
  java(
    'getsentry/sentry-java sentry/src/test/java/io/sentry/SentryStackTraceFactoryTest.kt',
    'test.java',
    'none',
    null,
    'io.sentry.samples.element',
  ),
  // The tests of sentry-go, and an event in those of Sentry.
  go('getsentry/sentry-go stacktrace_test.go', 'testing.go', 'none', '/goroot/src/testing/testing.go', 'testing'),
  go(
    'getsentry/sentry-go stacktrace_test.go',
    'stacktrace_external_test.go',
    'none',
    '/somewhere/sentry/sentry-go/stacktrace_external_test.go',
    'github.com/getsentry/sentry-go_test',
  ),
  go('getsentry/sentry-go stacktrace_test.go', 'main.go', '/w/shop/main.go', '/somewhere/example.com/pkg/main.go', 'main'),
  go('getsentry/sentry-go stacktrace_test.go', 'foo.go', 'none', '/something/foo.go', 'gopkg/gopath'),
  go(
    `${SENTRY}/go-pkg-mod.json`,
    '/go/pkg/mod/github.com/robfig/cron/v3@v3.0.0/cron.go',
    'none',
    '/go/pkg/mod/github.com/robfig/cron/v3@v3.0.0/cron.go',
    'github.com/robfig/cron/v3',
  ),
  go(`${SENTRY}/go-pkg-mod.json`, '/my_app/main.go', '/w/shop/main.go', '/my_app/main.go', 'main'),
  // The tests of sentry-php.
  php('getsentry/sentry-php tests/Profiling/ProfileTest.php', '/var/www/html/index.php', 'ask', '/var/www/html/index.php'),
  php(
    'getsentry/sentry-php tests/Profiling/ProfileTest.php',
    '/function.php',
    '/w/portal/lib/function.php',
    '/var/www/html/function.php',
  ),
  php('getsentry/sentry-php tests/Profiling/ProfileTest.php', '/class.php', '/w/portal/class.php', '/var/www/html/class.php'),
  php('getsentry/sentry-php tests/Integration/FrameContextifierIntegrationTest.php', '[internal]', 'none'),
  // The tests of sentry-ruby.
  ruby(`${RUBY}/backtrace/lines_spec.rb`, 'app.rb', '/w/portal/app.rb', 'app.rb'),
  ruby(
    `${RUBY}/backtrace/lines_spec.rb`,
    'sinatra/base.rb',
    'none',
    '/PATH_TO_RUBY/gems/2.7.0/gems/sinatra-2.1.0/lib/sinatra/base.rb',
  ),
  ruby(
    'getsentry/sentry-ruby sentry-ruby/spec/support/stackprof_results.json',
    'rspec/core/hooks.rb',
    'none',
    '/Users/neel/.rvm/gems/ruby-3.0.0/gems/rspec-core-3.11.0/lib/rspec/core/hooks.rb',
  ),
  ruby(
    'getsentry/sentry-ruby sentry-rails/spec/sentry/rails/event_spec.rb',
    'app/models/user.rb',
    '/w/portal/app/models/user.rb',
    'app/models/user.rb',
  ),
  ruby(
    'getsentry/sentry-ruby sentry-rails/spec/sentry/rails/event_spec.rb',
    'vendor/bundle/some_gem.rb',
    'none',
    'vendor/bundle/some_gem.rb',
  ),
];

/** Frames in forms that those tests do not have: other images and build servers, bundlers, runtimes and package managers. */
export const otherForms: readonly CorpusFrame[] = [
  python('sentry-python in an image', 'shop/orders.py', '/w/shop/shop/orders.py', '/app/shop/orders.py'),
  python('sentry-python on Windows', 'shop\\db.py', '/w/shop/shop/db.py', 'C:\\work\\shop\\shop\\db.py'),
  python('sentry-python in AWS Lambda', 'shop/orders.py', '/w/shop/shop/orders.py', '/var/task/shop/orders.py'),
  python('sentry-python in an image', 'flask/app.py', 'none', '/usr/local/lib/python3.12/site-packages/flask/app.py'),
  python('CPython', 'json/decoder.py', 'none', '/usr/lib/python3.12/json/decoder.py'),
  python('CPython on Windows', 'json/decoder.py', 'none', 'C:\\Python312\\Lib\\json\\decoder.py'),
  python('CPython', '<frozen importlib._bootstrap>', 'none', '<frozen importlib._bootstrap>'),
  python('CPython', '<string>', 'none', '<string>'),
  javascript('@sentry/node in an image', '/usr/src/app/services/orders/server.js', '/w/shop/services/orders/server.js'),
  javascript('@sentry/node in an image', '/app/server.js', 'ask'),
  javascript('@sentry/node on a server', '/srv/berth-api/server.js', 'ask'),
  javascript('@sentry/node in a temporary folder', '/tmp/signalbox-x/deployed/demo/ship.js', '/w/shop/ship.js'),
  javascript('@sentry/node in an image', '/var/www/html/server.js', 'ask'),
  javascript('@sentry/node on IIS', 'C:\\inetpub\\wwwroot\\server.js', 'ask'),
  javascript(
    '@sentry/node in GitHub Actions',
    '/home/runner/work/shop/shop/services/gates/server.js',
    '/w/shop/services/gates/server.js',
  ),
  javascript('@sentry/node in GitLab CI', '/builds/acme/shop/services/gates/server.js', '/w/shop/services/gates/server.js'),
  javascript('@sentry/node on Windows', 'C:\\Users\\ann\\shop\\services\\gates\\server.js', '/w/shop/services/gates/server.js'),
  javascript(
    '@sentry/node on a network share',
    '\\\\build\\drop\\services\\gates\\server.js',
    '/w/shop/services/gates/server.js',
  ),
  javascript(
    'ECMAScript modules of Node',
    'file:///workspace/services/orders/lib/greet.js',
    '/w/shop/services/orders/lib/greet.js',
  ),
  javascript('@sentry/node of another program', '/opt/other/lib/greet.js', 'ask'),
  javascript('vm of Node', 'evalmachine.<anonymous>', 'none'),
  javascript('Node 10', 'internal/modules/cjs/loader.js', 'none'),
  javascript('webpack', 'webpack:///./src/cart.mjs', '/w/shop/web/src/cart.mjs'),
  javascript('webpack', 'webpack:///./src/App.tsx', 'ask'),
  javascript('webpack', 'webpack:///webpack/bootstrap', 'none'),
  javascript('webpack', 'webpack:///../node_modules/react-dom/cjs/react-dom.development.js', 'none'),
  javascript('Next.js', 'webpack-internal:///(rsc)/./pages/cart.tsx', '/w/shop/web/pages/cart.tsx'),
  javascript('Next.js', 'webpack://_N_E/./pages/cart.tsx?5b1d', '/w/shop/web/pages/cart.tsx'),
  javascript('Turbopack', 'turbopack:///[project]/web/src/App.tsx', '/w/shop/web/src/App.tsx'),
  javascript('Vite', 'http://localhost:5173/src/App.tsx?t=1764', 'ask'),
  javascript('Vite', 'http://localhost:5173/@fs/w/shop/admin/src/App.tsx', '/w/shop/admin/src/App.tsx'),
  javascript('Electron', 'app:///dist/orders.js', '/w/shop/dist/orders.js'),
  javascript('React Native', 'app:///main.jsbundle', 'none'),
  javascript('release artifacts', '~/static/js/main.4a1b.js', 'none'),
  javascript('source maps of TypeScript', '../src/routes/index.ts', 'ask'),
  javascript('@sentry/node in an image', '/usr/src/app/src/routes/index.ts', 'ask'),
  java('nested classes', 'Cart.java', '/w/shop/src/main/java/com/example/shop/Cart.java', null, 'com.example.shop.Cart$Item'),
  java('Kotlin', 'Billing.kt', '/w/shop/src/main/kotlin/com/example/shop/Billing.kt', null, 'com.example.shop.BillingKt'),
  java('another package', 'Orders.java', 'none', null, 'com.example.stock.Orders'),
  go(
    'sentry-go in an image',
    'orders.go',
    '/w/shop/internal/orders/orders.go',
    '/build/internal/orders/orders.go',
    'github.com/acme/shop/internal/orders',
  ),
  go('-trimpath', 'store.go', '/w/shop/internal/orders/store.go', 'github.com/acme/shop/internal/orders/store.go', 'main'),
  go('Go', 'server.go', 'none', '/usr/local/go/src/net/http/server.go', 'net/http'),
  go('another module', 'orders.go', 'none', '/src/other/orders.go', 'github.com/acme/other/orders'),
  php('Composer', 'phar:///usr/bin/composer.phar/src/Composer/Factory.php', 'none'),
  ruby('eval of Ruby', '(eval at /app/ship.rb:3)', 'none'),
  rust('Cargo', 'main.rs', 'none', '/home/ship/.cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.40.0/src/main.rs'),
];
