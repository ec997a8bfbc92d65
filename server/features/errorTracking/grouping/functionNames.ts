import { cleanPath } from './filePaths.ts';
import { withoutGenerated } from './generatedNames.ts';
import { isDigits, MAX_NAME_LENGTH } from './nameParts.ts';

/** Placeholders for a missing name. `eval` and `native` describe where the code came from. */
const missingNames: ReadonlySet<string> = new Set([
  '?',
  '<anonymous>',
  '(anonymous)',
  'anonymous',
  '<anonymous function>',
  '<lambda>',
  '<unknown>',
  '<redacted>',
  'unknown',
  'eval',
  'native',
  '[native code]',
  '{closure}',
]);

/** Receivers that V8 adds to functions that are called as plain functions. */
const receivers = /^(?:async )?(?:Object|Module|Function|exports|module\.exports|global|globalThis|window|self)\.(?=[^.])/;
const plain = /^[A-Za-z_.]*$/;

/** Returns the function name without parts that change from build to build. Empty if there is no name. */
export function cleanFunction(sent: string): string {
  let name = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (!plain.test(name)) name = cleanUnusual(withoutAlias(name.trim()));
  if (name.includes('.')) name = name.replace(receivers, '');
  return missingNames.has(name) ? '' : name;
}

/** JavaScript: `foo [as bar]`. */
function withoutAlias(name: string): string {
  const alias = name.indexOf(' [as ');
  const text = alias > 0 ? name.slice(0, alias) : name;
  return text.startsWith('async ') ? text.slice(6) : text;
}

function cleanUnusual(sent: string): string {
  let name = sent;
  // PHP: names of anonymous classes contain a path and a number; so do closures since PHP 8.4.
  if (name.includes('@anonymous')) name = name.replace(/@anonymous.*?(?=::|$)/s, '@anonymous');
  if (name.includes('{')) name = name.replace(/\{(closure|impl|async_\w{1,20}|constant|shim)[:#][^}]{0,256}\}/g, '{$1}');
  return withoutGenerated(cleanRuby(name));
}

/** `block (2 levels) in foo`, and methods that Action View, Tilt and Active Support generate. */
function cleanRuby(sent: string): string {
  let name = sent;
  if (name.startsWith('block ')) name = name.replace(/^block \(\d{1,9} levels\) in /, 'block in ');
  if (!name.includes('_')) return name;
  return name
    .replace(/_{2,3}\d{1,20}_\d{1,20}$/, '')
    .replace(/(?<=__tilt|_callback_(?:before|after|around)|_one_time_conditions_valid)_\d{1,20}/, '')
    .replace(/(?<=_run)__\d{1,20}__/, '__');
}

/** Names that engines of JavaScript give to code without a name: `global code` of Safari, `Anonymous function` of Edge. */
const missingInBrowsers: ReadonlySet<string> = new Set([
  ...missingNames,
  'Anonymous function',
  '[anonymous]',
  '{anonymous}',
  '<computed>',
  '<global>',
  '<eval>',
  'global',
  'global code',
  'Global code',
  'module code',
  'eval code',
  'Eval code',
  'program code',
  'Function code',
  'Unknown script code',
  'module evaluation',
  '{module evaluation}',
]);

/** Modules that bundlers run as functions: `Object../src/cart.js`, `[project]/src/cart.ts [app-client] (ecmascript)`. */
const bundledModule =
  /(?:^|[."'])((?:\.{1,2}\/|\[project\]\/|[\w@/-]{0,60}node_modules\/)[^"'\s]{0,200}?\.(?:[cm]?[jt]sx?|vue|svelte|astro|json))(?:["']?\]?(?=$|\s)|\/)/;
const PREFIX = /^(?:async|new|get|set|static|bound|function) +/;

/**
 * Returns the last plain name of a function of a browser, because engines differ in what they put around it, and minifiers name
 * receivers anew in each build: `Cart.prototype.add` of Firefox, `t.add` and `async Cart.add [as y]` of V8 and `async*add` are
 * all `add`. Empty if there is no name.
 */
export function cleanBrowserFunction(sent: string): string {
  let name = (sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent).trim();
  if (missingInBrowsers.has(name)) return '';
  const bundled = name.includes('/') ? bundledModule.exec(name) : null;
  if (bundled !== null) {
    const rest = name.slice(bundled.index + bundled[0].length);
    if (!bundled[0].endsWith('/')) return cleanPath(bundled[1] ?? '');
    name = rest;
  }
  // `foo [as bar]`, `all (index 0)`, `add(a, b)` of old engines.
  const aside = name.search(/ \[as | ?\(/);
  if (aside === 0) return '';
  if (aside > 0) name = name.slice(0, aside);
  // Firefox: `promise callback*add`, and `Cart/add` for a function inside of Cart, `Cart/<` for one without a name.
  name = name.slice(name.lastIndexOf('*', name.length - 2) + 1);
  name = name.slice(name.lastIndexOf('/') + 1);
  if (name.endsWith('<')) return '';
  name = withoutPrefixes(lastMember(withoutPrefixes(name)));
  // Hermes: `?anon_0_add`. Babel: `_callee2$`. Rollup: `add$1`.
  name = name
    .replace(/^\?anon_\d{1,9}_?/, '')
    .replace(/^(_?callee)[\d$]{1,20}$/, '$1')
    .replace(/(?<=.)\$\d{1,4}$/, '');
  // Webpack calls modules by their number.
  return missingInBrowsers.has(name) || isDigits(name) ? '' : name;
}

function withoutPrefixes(sent: string): string {
  let name = sent;
  for (let times = 0; times < 3 && PREFIX.test(name); times += 1) name = name.replace(PREFIX, '');
  return name;
}

/** `Cart.add` → `add`, `Cart.[Symbol.iterator]` → `[Symbol.iterator]`, `handlers["add"]` → `add`. */
function lastMember(name: string): string {
  if (!name.endsWith(']')) return name.slice(name.lastIndexOf('.', name.length - 2) + 1);
  const key = name.slice(name.lastIndexOf('[') + 1, -1);
  if (key.startsWith('Symbol.')) return `[${key}]`;
  return /^["'].{1,200}["']$/.test(key) ? key.slice(1, -1) : '';
}

/** A receiver that a minifier named. */
const minifiedReceiver = /^((?:new |get |set )?)(?![0-9])[\w$]{1,2}\.(?=[^.])/;

/**
 * Returns the name of a function of Node with its receiver, because `OrderRepo.save` is not `UserRepo.save`, unless a minifier
 * named the receiver. Empty if there is no name.
 */
export function cleanNodeFunction(sent: string): string {
  let name = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (!/^[A-Za-z_]*$/.test(name)) {
    name = withoutAlias(name.trim());
    for (let before = ''; before !== name; ) {
      before = name;
      name = name.replace(receivers, '').replace(minifiedReceiver, '$1');
    }
    name = name.replace(/^(_?callee)[\d$]{1,20}$/, '$1').replace(/(?<=.)\$\d{1,4}$/, '');
  }
  return missingInBrowsers.has(name) || isDigits(name) ? '' : name;
}
