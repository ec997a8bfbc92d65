import assert from 'node:assert/strict';
import {
  cleanBrowserFunction,
  cleanFunction,
  cleanNodeFunction,
} from '../../../../server/features/errorTracking/grouping/functionNames.ts';

// Names of one function by engine and build (docs/interface.md#grouping).

describe('names of functions of browsers', () => {
  for (const [name, ...spellings] of [
    [
      'add',
      'add',
      'Cart.add',
      'Cart.prototype.add',
      't.add',
      'e.t.add',
      'Object.add',
      'exports.default.add',
      'async add',
      'async Cart.add',
      'async*add',
      'promise callback*add',
      'setTimeout handler*Cart.prototype.add',
      'Cart.add [as onAdd]',
      'Cart/this.add',
      'Cart/add',
      'Cart/</add',
      'handlers["add"]',
      "Cart['add']",
      'bound add',
      'static add',
      'add(price, count)',
      'add$1',
      '?anon_0_add',
      './src/cart.js/add',
    ],
    ['Cart', 'Cart', 'new Cart', 'new t.Cart', 'new Cart [as constructor]'],
    ['total', 'total', 'get total', 'Cart.get total [as total]', 'get Cart.total', 'set total'],
    ['#pay', '#pay', 'Cart.#pay', 'async #pay'],
    ['map', 'map', 'Array.map', 'Array.prototype.map'],
    ['all', 'all', 'async Promise.all (index 0)', 'Promise.all'],
    ['onclick', 'onclick', 'HTMLButtonElement.onclick'],
    ['[Symbol.iterator]', '[Symbol.iterator]', 'Cart.[Symbol.iterator]', 'Cart.prototype[Symbol.iterator]'],
    ['_callee', '_callee', '_callee$', '_callee12$', '_callee$1'],
    ['src/cart.js', './src/cart.js', 'Object../src/cart.js', 'Module../src/cart.js', '__webpack_modules__["./src/cart.js"]'],
    ['src/cart.ts', '[project]/src/cart.ts [app-client] (ecmascript)'],
    [
      '',
      '?',
      '<anonymous>',
      't.<anonymous>',
      'HTMLDocument.<anonymous>',
      'Anonymous function',
      '(anonymous function)',
      '(anonymous)',
      'anonymous',
      '{anonymous}()',
      'add/<',
      'add</<',
      'Cart.prototype.add/<',
      './src/cart.js/<',
      'Cart/total<',
      '.then<',
      'handlers[0]',
      'handlers.<computed>',
      'eval',
      'eval code',
      'Eval code',
      'eval (eval at add (app.js:1:1))',
      'global code',
      'Global code',
      'module code',
      'Function code',
      'Unknown script code',
      'global',
      'module evaluation',
      '1234',
      'Object.1234',
      '(program)',
      '?anon_0_',
    ],
  ] as const) {
    it(`${name === '' ? 'no name' : name}: ${spellings.length} spellings`, () => {
      for (const spelling of spellings) assert.equal(cleanBrowserFunction(spelling), name, spelling);
    });
  }

  it('names that only look similar stay different', () => {
    const names = ['add', 'remove', 'add2', '$', '_', 'a$b', 'constructor', 'getTotal', 'newCart', 'asyncAdd', 'evaluate'];
    assert.deepEqual(names.map(cleanBrowserFunction), names);
  });
});

describe('names of functions of Node', () => {
  for (const [sent, expected] of [
    ['OrderRepo.save', 'OrderRepo.save'],
    ['UserRepo.save', 'UserRepo.save'],
    ['async OrderRepo.save', 'OrderRepo.save'],
    ['OrderRepo.save [as handler]', 'OrderRepo.save'],
    ['t.save', 'save'],
    ['ab.save', 'save'],
    ['$.save', 'save'],
    ['db1.save', 'db1.save'],
    ['t.e.save', 'save'],
    ['e.exports.save', 'save'],
    ['new t.Cart', 'new Cart'],
    ['new Cart', 'new Cart'],
    ['Object.save', 'save'],
    ['t.<anonymous>', ''],
    ['Object.<anonymous>', ''],
    ['OrderRepo.<anonymous>', 'OrderRepo.<anonymous>'],
    ['Object.1234', ''],
    ['_callee3$', '_callee'],
    ['save$2', 'save'],
    ['eval', ''],
    ['', ''],
  ] as const) {
    it(`${sent === '' ? 'none' : sent} → ${expected === '' ? 'nothing' : expected}`, () => {
      assert.equal(cleanNodeFunction(sent), expected);
    });
  }
});

describe('names of functions that compilers, template engines and libraries make anew', () => {
  for (const [language, sent, expected] of [
    ['Ruby', '_app_views_show_html_erb__123456_7890', '_app_views_show_html_erb'],
    ['Ruby', '_app_views_show_html_erb___123456_7890', '_app_views_show_html_erb'],
    ['Ruby', '__tilt_70123456789', '__tilt'],
    ['Ruby', 'block in _callback_before_12', 'block in _callback_before'],
    ['Ruby', '_run__1234567__process_action__callbacks', '_run__process_action__callbacks'],
    ['PHP', '__TwigTemplate_3f2a9c1b4d5e6f708192a3b4c5d6e7f8::doDisplay', '__TwigTemplate::doDisplay'],
    ['PHP', '__TwigTemplate_3f2a9c1b4d5e6f708192a3b4c5d6e7f8___1234::block_body', '__TwigTemplate::block_body'],
    ['PHP', 'content_63f1b2c3d4e5f6_12345678', 'content'],
    ['PHP', 'Template_3f2a9c1b4d::main', 'Template::main'],
    [
      'PHP',
      String.raw`ContainerXbT9k2Q\App_KernelProdContainer::getCartService`,
      String.raw`Container\App_KernelProdContainer::getCartService`,
    ],
    ['PHP', 'Container_3f2a9c1b4d::createServiceCart', 'Container::createServiceCart'],
    ['PHP', 'EntityManagerGhostEbeb667::flush', 'EntityManagerGhostEbeb667::flush'],
    ['PHP', 'EntityManagerGhostebeb667::flush', 'EntityManagerGhost::flush'],
    ['PHP', 'Mock_Cart_3f2a9c1b::add', 'Mock_Cart::add'],
    ['Java', '$r8$lambda$aBc123_-xYz', '$r8$lambda'],
    ['Java', 'access$1200', 'access$'],
    ['Scala', '$anonfun$add$12', '$anonfun$add'],
    ['Go', 'main.run.func2.1', 'main.run.func'],
    ['Go', 'main.run.deferwrap1', 'main.run.deferwrap'],
    ['Go', 'main.init.0', 'main.init'],
    ['Go', 'main.run-range1', 'main.run-range'],
    ['Go', '_cgo_3f2a9c1b4d5e_Cfunc_add', '_cgo_Cfunc_add'],
    ['C#', '<RunAsync>d__12.MoveNext', '<RunAsync>d.MoveNext'],
    ['C#', '<Run>g__Add|12_0', '<Run>g__Add'],
    ['C#', '<>c.<Run>b__12_0', '<>c.<Run>b'],
    ['C#', 'lambda_method12', 'lambda_method'],
    ['C#', 'Submission#12.<Main>', 'Submission#.<Main>'],
    ['F#', 'add@12-1.Invoke', 'add.Invoke'],
    ['Visual Basic', '_Lambda$__12-0', '_Lambda$__'],
    ['Rust', 'shop::run::h0123456789abcdef', 'shop::run'],
    ['Rust', 'shop[3f2a9c1b4d5e6f70]::run', 'shop::run'],
    ['Rust', '__rustc[5224e6b81cd82a8f]::rust_begin_unwind', '__rustc::rust_begin_unwind'],
    ['Rust', 'shop::{impl#3}::add::{async_fn#0}', 'shop::{impl}::add::{async_fn}'],
    ['C++', 'add.constprop.0', 'add'],
    ['C++', 'add.llvm.1234567890', 'add'],
    ['Objective-C', '__32-[Cart add:]_block_invoke_2', '-[Cart add:]_block_invoke'],
    ['Swift', 'closure #2 in Cart.add()', 'closure # in Cart.add()'],
  ] as const) {
    it(`${language}: ${sent} → ${expected}`, () => assert.equal(cleanFunction(sent), expected));
  }

  it('names that people gave stay', () => {
    const names = [
      'sha256',
      'base64_decode',
      'step_2',
      'parse_v2',
      'http2_init',
      'utf8::decode',
      'load_20260101',
      'Vec3::add',
      'x@y',
      'init2',
      'run.script2',
    ];
    assert.deepEqual(names.map(cleanFunction), names);
  });
});
