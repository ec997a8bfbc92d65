/** Stack frame as an SDK sends it, and what it is in the workspace below. */
export interface CorpusFrame {
  readonly language: 'Python' | 'JavaScript' | 'Java' | 'Go' | 'PHP' | 'Ruby' | 'Rust';
  /** Test with the captured event, or the program whose paths have this form. */
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
  '/w/tools': [
    ...['js/layer.js', 'js/index.js', 'js/loader.js', 'rb/head.rb', 'py/decoder.py', 'py/base.py', 'py/app.py'],
    ...['java/Thread.java', 'java/Orders.java', 'go/server.go', 'go/y.go', 'go/orders.go', 'rs/rt.rs', 'php/Kernel.php'],
    ...['php/Factory.php', 'js/react-dom.development.js', 'js/task_queues.js', 'rs/main.rs'],
  ],
};

export const corpusModules = [{ name: 'github.com/acme/shop', folder: '/w/shop' }];

const CORPUS = 'test/server/errorTracking/grouping/corpus';
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

export const corpus: readonly CorpusFrame[] = [
  python(`${CORPUS}/throws.ts`, 'ship.py', '/w/shop/ship.py', '/srv/ship/ship.py', '__main__'),
  python(`${CORPUS}/former.ts`, 'ship/ship.py', '/w/shop/ship.py', '/srv/ship/ship.py'),
  python(`${CORPUS}/python.ts`, 'site-packages/flask/app.py', 'none', '/usr/lib/python3/site-packages/flask/app.py'),
  python(`${CORPUS}/former.ts`, 'raven/base.py', 'ask', '/srv/packages/raven/base.py'),
  python('sentry-python in an image', 'shop/orders.py', '/w/shop/shop/orders.py', '/app/shop/orders.py'),
  python('sentry-python on Windows', 'shop\\db.py', '/w/shop/shop/db.py', 'C:\\work\\shop\\shop\\db.py'),
  python('sentry-python in AWS Lambda', 'shop/orders.py', '/w/shop/shop/orders.py', '/var/task/shop/orders.py'),
  python('sentry-python in an image', 'flask/app.py', 'none', '/usr/local/lib/python3.12/site-packages/flask/app.py'),
  python('CPython', 'json/decoder.py', 'none', '/usr/lib/python3.12/json/decoder.py'),
  python('CPython on Windows', 'json/decoder.py', 'none', 'C:\\Python312\\Lib\\json\\decoder.py'),
  python('CPython', '<frozen importlib._bootstrap>', 'none', '<frozen importlib._bootstrap>'),
  python('CPython', '<string>', 'none', '<string>'),

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
  javascript('server/seeds/demoErrors.ts', '/srv/berth-api/server.js', 'ask'),
  javascript('@sentry/node in an image', '/usr/src/app/services/orders/server.js', '/w/shop/services/orders/server.js'),
  javascript('@sentry/node in an image', '/app/server.js', 'ask'),
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
  javascript('test/story/trackedErrors.host.test.ts', '/tmp/signalbox-x/deployed/demo/ship.js', '/w/shop/ship.js'),
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
  java('nested classes', 'Cart.java', '/w/shop/src/main/java/com/example/shop/Cart.java', null, 'com.example.shop.Cart$Item'),
  java('Kotlin', 'Billing.kt', '/w/shop/src/main/kotlin/com/example/shop/Billing.kt', null, 'com.example.shop.BillingKt'),
  java('another package', 'Orders.java', 'none', null, 'com.example.stock.Orders'),

  go(`${CORPUS}/compiled.ts`, 'main.go', '/w/shop/main.go', '/srv/shop/main.go', 'main'),
  go(`${CORPUS}/compiled.ts`, 'y.go', 'none', '/home/ship/go/pkg/mod/github.com/x/y@v1.2.3/y.go', 'github.com/x/y'),
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

  php(`${CORPUS}/phpAndRuby.ts`, '/vendor/laravel/framework/Kernel.php', 'none', '/srv/shop/vendor/laravel/framework/Kernel.php'),
  php(`${CORPUS}/phpAndRuby.ts`, '/app/Orders.php', '/w/shop/app/Orders.php', '/srv/shop/app/Orders.php'),
  php(`${CORPUS}/throws.ts`, '/ship.php', '/w/shop/ship.php', '/srv/ship/ship.php'),
  php('Composer', 'phar:///usr/bin/composer.phar/src/Composer/Factory.php', 'none'),

  ruby(`${CORPUS}/phpAndRuby.ts`, 'rack/head.rb', 'none', '/usr/local/bundle/gems/rack-3.1.0/lib/rack/head.rb'),
  ruby(`${CORPUS}/phpAndRuby.ts`, 'app/models/order.rb', '/w/shop/app/models/order.rb', '/srv/shop/app/models/order.rb'),
  ruby(`${CORPUS}/throws.ts`, 'ship.rb', '/w/shop/ship.rb', 'ship.rb'),
  ruby('eval of Ruby', '(eval at /app/ship.rb:3)', 'none'),

  rust(`${CORPUS}/compiled.ts`, 'rt.rs', 'none', '/rustc/abc/library/std/src/rt.rs'),
  rust(`${CORPUS}/compiled.ts`, 'orders.rs', '/w/shop/src/orders.rs', '/srv/shop/src/orders.rs'),
  rust('Cargo', 'main.rs', 'none', '/home/ship/.cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.40.0/src/main.rs'),
];
