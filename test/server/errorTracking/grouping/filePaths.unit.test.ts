import assert from 'node:assert/strict';
import { cleanPath } from '../../../../server/features/errorTracking/grouping/filePaths.ts';
import { cleanModule } from '../../../../server/features/errorTracking/grouping/generatedNames.ts';

// Names that bundlers, template engines and compilers generate anew in each build or run (docs/interface.md#grouping).

/** The name of one file in two builds. */
const paths: readonly (readonly [tool: string, one: string, other: string])[] = [
  ['SvelteKit', '/_app/immutable/chunks/DiwrgTda.js', '/_app/immutable/chunks/BX3kd0aQ.js'],
  ['SvelteKit', '/_app/immutable/entry/app.DiwrgTda.js', '/_app/immutable/entry/app.BX3kd0aQ.js'],
  ['SvelteKit', '/_app/immutable/nodes/3.DiwrgTda.js', '/_app/immutable/nodes/3.BX3kd0aQ.js'],
  ['Nuxt', '/_nuxt/DiwrgTda.js', '/_nuxt/BX3kd0aQ.js'],
  ['Nuxt', '/_nuxt/entry.DiwrgTda.js', '/_nuxt/entry.BX3kd0aQ.js'],
  ['Nuxt 2', '/_nuxt/3f2a9c1.js', '/_nuxt/99ab12c.js'],
  ['Astro', '/_astro/hoisted.DiwrgTda.js', '/_astro/hoisted.BX3kd0aQ.js'],
  ['Astro', '/_astro/_slug_.astro_script.DiwrgTda.js', '/_astro/_slug_.astro_script.BX3kd0aQ.js'],
  ['Next.js', '/_next/static/chunks/main-3f2a9c1b4d5e6f70.js', '/_next/static/chunks/main-99ab12cd34ef5678.js'],
  [
    'Next.js',
    '/_next/static/chunks/app/%5Bslug%5D/page-3f2a9c1b4d5e6f70.js',
    '/_next/static/chunks/app/[slug]/page-99ab12cd34ef5678.js',
  ],
  ['Next.js', '/_next/static/7kE3bq2VtYw1Zr5aVnW9x/_buildManifest.js', '/_next/static/abcDEF1234567890_-xyz/_buildManifest.js'],
  ['Turbopack', '/_next/static/chunks/3f2a9c1b4d5e6f70.js', '/_next/static/chunks/99ab12cd34ef5678.js'],
  ['Turbopack', '/_next/static/chunks/node_modules_3f2a9c1b._.js', '/_next/static/chunks/node_modules_99ab12cd._.js'],
  ['Vite', '/assets/index-DiwrgTda.js', '/assets/index-BX3kd0aQ.js'],
  ['Vite', '/assets/index-B_3k-9aZ.js', '/assets/index-C-4kd_aQ.js'],
  ['Vite', '/assets/index-legacy-DiwrgTda.js', '/assets/index-legacy-BX3kd0aQ.js'],
  ['Vite 4', '/assets/index-3f2a9c1b.js', '/assets/index-99ab12cd.js'],
  ['Vite, as configured', '/static/dist/index-DiwrgTda.js', '/static/dist/index-BX3kd0aQ.js'],
  ['VitePress', '/assets/chunks/theme.DiwrgTda.lean.js', '/assets/chunks/theme.BX3kd0aQ.lean.js'],
  ['Qwik', '/build/q-DiwrgTda.js', '/build/q-BX3kd0aQ.js'],
  ['esbuild', 'dist/chunk-QWERTZ23.js', 'dist/chunk-ABCDEFGH.js'],
  ['Remix', '/build/_shared/chunk-QWERTZ23.js', '/build/_shared/chunk-A2CD3FGH.js'],
  ['Angular', '/main.3f2a9c1b4d5e6f70.js', '/main.99ab12cd34ef5678.js'],
  ['webpack', '/static/js/main.3f2a9c1b.js', '/static/js/main.12345678.js'],
  ['webpack', '/static/js/2.3f2a9c1b.chunk.js', '/static/js/2.99ab12cd.chunk.js'],
  ['Rspack', '/static/js/async/3f2a9c1b4d.js', '/static/js/async/99ab12cd34.js'],
  ['Parcel', '/index.3f2a9c1b.js', '/index.99ab12cd.js'],
  ['Bun', '/chunk-h5jd3qk0.js', '/chunk-0a1b2c3d.js'],
  [
    'Expo',
    '/_expo/static/js/web/index-3f2a9c1b4d5e6f708192a3b4c5d6e7f8.js',
    '/_expo/static/js/web/index-99ab12cd34ef567899ab12cd34ef5678.js',
  ],
  ['Sprockets', `/assets/application-${'3f2a9c1b'.repeat(8)}.js`, `/assets/application-${'99ab12cd'.repeat(8)}.js`],
  ['Django', '/static/app.3f2a9c1b4d5e.js', '/static/app.99ab12cd34ef.js'],
  ['Meteor', `/${'3f2a9'.repeat(8)}.js?meteor_js_resource=true`, `/${'99ab1'.repeat(8)}.js?meteor_js_resource=true`],
  ['IPython', '<ipython-input-12-3f2a9c1b4d5e>', '<ipython-input-3-99ab12cd34ef>'],
  ['Jupyter', '/tmp/ipykernel_1234/567890123.py', '/tmp/ipykernel_99/1234567890.py'],
  ['Mako', 'memory:0x7f3a12cd9000', 'memory:0x7f0000000010'],
  ['PyTorch', '<eval_with_key>.12', '<eval_with_key>.7'],
  ['Python, a temporary folder', '/tmp/tmpx8k2m9_1/script.py', '/tmp/tmp0a1b2c3d/script.py'],
  ['PyInstaller', '/tmp/_MEIab12Cd/shop.py', '/tmp/_MEI3fG9x1/shop.py'],
  ['Ruby', '(eval at /srv/app/x.rb:12)', '(eval at /srv/app/x.rb:19)'],
  ['Bundler', '/gems/rack-2.2.3/rack.rb', '/gems/rack-3.0.0/rack.rb'],
  ['Capistrano', '/srv/releases/20260102030405/run.rb', '/srv/releases/20260203040506/run.rb'],
  ['Blade', `/storage/framework/views/${'3f2a9'.repeat(8)}.php`, `/storage/framework/views/${'99ab1'.repeat(8)}.php`],
  ['Twig', '/var/cache/twig/3f/3f2a9c1b4d5e6f70.php', '/var/cache/twig/3f/99ab12cd34ef5678.php'],
  ['Smarty', `/templates_c/${'3f2a9'.repeat(8)}_0.file.index.tpl.php`, `/templates_c/${'99ab1'.repeat(8)}_0.file.index.tpl.php`],
  ['Latte', '/temp/latte/home.latte--3f2a9c1b4d.php', '/temp/latte/home.latte--99ab12cd34.php'],
  ['Symfony', '/var/cache/prod/ContainerXbT9k2Q/getCartService.php', '/var/cache/prod/Container1a2B3c4/getCartService.php'],
  ['PHP', "/srv/x.php(12) : eval()'d code", "/srv/x.php(19) : eval()'d code"],
  ['Go', '/tmp/go-build1234567890/b001/main.go', '/tmp/go-build99/b014/main.go'],
  ['Go', '/go/pkg/mod/github.com/acme/shop@v1.2.3/cart.go', '/go/pkg/mod/github.com/acme/shop@v1.3.0/cart.go'],
  ['ASP.NET', '/root/3f2a9c1b/App_Web_xyz12abc.0.cs', '/root/99ab12cd/App_Web_q1w2e3r4.0.cs'],
  ['Rust', '/rustc/3f2a9c1b/core/src/panicking.rs', '/rustc/99ab12cd/core/src/panicking.rs'],
]; // prettier-ignore

const modules: readonly (readonly [tool: string, one: string, other: string])[] = [
  ['Java', 'com.acme.Foo$$Lambda$12/0x0000000800c03000', 'com.acme.Foo$$Lambda/0x00007f0123456789'],
  ['Java', 'java.lang.invoke.LambdaForm$MH/0x0000000800c03000', 'java.lang.invoke.LambdaForm$MH/0x0000000801234000'],
  ['Java', 'jdk.internal.reflect.GeneratedConstructorAccessor12', 'jdk.internal.reflect.GeneratedConstructorAccessor7'],
  ['Android', 'com.acme.Cart$$ExternalSyntheticLambda0', 'com.acme.Cart$$ExternalSyntheticLambda3'],
  ['Android', '-$$Lambda$Cart$aBc123', '-$$Lambda$Cart$xYz789'],
  ['Spring', 'com.acme.Foo$$SpringCGLIB$$0', 'com.acme.Foo$$SpringCGLIB$$1'],
  ['Spring expressions', 'spel.Ex12', 'spel.Ex3'],
  ['Guice', 'com.acme.Foo$$EnhancerByGuice$$12345678', 'com.acme.Foo$$EnhancerByGuice$$87654321'],
  ['Hibernate', 'com.acme.Foo$HibernateProxy$aB3dE', 'com.acme.Foo$HibernateProxy$xY9zQ'],
  ['Spark', 'org.apache.spark.sql.GeneratedIteratorForCodegenStage12', 'org.apache.spark.sql.GeneratedIteratorForCodegenStage7'],
  ['Groovy', 'Script12', 'Script7'],
  ['Groovy', 'script1712345678901$_run_closure1', 'script1799999999999$_run_closure2'],
  ['Clojure', 'user$eval1234$fn__1235', 'user$eval99$fn__100'],
  ['Scala', 'com.acme.Cart$$anonfun$add$1', 'com.acme.Cart$$anonfun$add$12'],
  ['Mako', 'memory:0x7f3a12cd9000', 'memory:0x7f0000000010'],
  ['Castle', 'Castle.Proxies.UserProxy_12', 'Castle.Proxies.UserProxy_3'],
  [
    'Entity Framework',
    `System.Data.Entity.DynamicProxies.User_${'3F2A9C1B'.repeat(8)}`,
    `System.Data.Entity.DynamicProxies.User_${'99AB12CD'.repeat(8)}`,
  ],
  ['ASP.NET', 'App_Web_index.cshtml.3f2a9c1b.xyz12abc', 'App_Web_index.cshtml.3f2a9c1b.q1w2e3r4'],
  ['Twig', `__TwigTemplate_${'3f2a9c1b'.repeat(8)}`, `__TwigTemplate_${'99ab12cd'.repeat(8)}`],
]; // prettier-ignore

describe('names of files and modules that builds make anew', () => {
  for (const [tool, one, other] of paths) {
    it(`${tool}: ${one} is ${other}`, () => assert.equal(cleanPath(one), cleanPath(other)));
  }
  for (const [tool, one, other] of modules) {
    it(`${tool}: ${one} is ${other}`, () => assert.equal(cleanModule(one), cleanModule(other)));
  }

  it('modules that people numbered stay apart', () => {
    const names = ['script2', 'jobs.step_12', 'eval2', 'com.acme.Foo$1', 'Cart3', 'github.com/acme/shop/v2'];
    assert.deepEqual(names.map(cleanModule), names);
  });

  it('another file of the same build is another one', () => {
    const files = ['/_nuxt/entry.DiwrgTda.js', '/_nuxt/cart.DiwrgTda.js', '/_nuxt/DiwrgTda.js', '/assets/index-DiwrgTda.js'];
    assert.equal(new Set(files.map(cleanPath)).size, files.length);
  });

  for (const path of [
    '/static/js/UserForm.js',
    '/_nuxt/Checkout.js',
    '/_nuxt/UserList.js',
    '/assets/Settings.js',
    '/assets/page-UserList.js',
    '/_astro/CartView.js',
    '/_astro/LazyLoad.js',
    '/_nuxt/svgIcons.js',
    '/_nuxt/PdfView2.js',
    '/assets/Wishlist.js',
    '/_app/immutable/chunks/Section2.js',
    '/_next/static/chunks/Checkout.js',
    '/dist/page-settings.js',
    '/dist/my-homepage.js',
    '/lib/base64.js',
    '/lib/http2.js',
    '/src/DiwrgTda.js',
  ]) {
    it(`${path} is a name that a person gave`, () =>
      assert.equal(cleanPath(path), path.split('/').slice(-2).join('/').toLowerCase()));
  }

  for (const [sent, same] of [
    ['/srv/my%20shop/Gr%C3%B6%C3%9Fe.js', '/srv/my shop/Größe.js'],
    ['https://shop.example/routes/%5Bslug%5D.js', '/routes/[slug].js'],
    ['/node_modules/%40acme%2Fcart/index.js', '/node_modules/@acme/cart/index.js'],
    ['/srv/100%/a.js', '/srv/100%/a.js'],
    ['/srv/%ff/a.js', '/srv/%ff/a.js'],
    ['https://shop.example/js/a.js?x=%20', '/js/a.js'],
  ] as const) {
    it(`${sent} is ${same}`, () => assert.equal(cleanPath(sent), cleanPath(same)));
  }
});
