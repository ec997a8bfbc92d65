import type { Frame } from '../event/trackedEvent.ts';
import { lastSegments, unnamedPaths } from './filePaths.ts';
import { type CleanFrame, collapseWhitespace, isNativeCode, remembered } from './frameNames.ts';
import { isDigits, isHash, MAX_NAME_LENGTH } from './nameParts.ts';

/**
 * Names of frames by versions 1 and 2 of the rules. They never change, so that new events find the errors that were grouped by
 * them. No pattern backtracks more than linearly.
 */

const locationOfPath = remembered(cleanPath);
const locationOfModule = remembered(cleanModule);
const nameOfFunction = remembered(cleanFunction);

/** Returns a frame as versions 1 and 2 compared it. */
export function formerFrame(frame: Frame): CleanFrame {
  const { module, function: functionName } = frame;
  const path = frame.filename ?? frame.absPath;
  const location =
    module === undefined || module === '' ? (path === undefined ? '' : locationOfPath(path)) : locationOfModule(module);
  let name = functionName === undefined ? '' : nameOfFunction(functionName);
  const isNative = isNativeCode(frame, path);
  let isLine = false;
  if (name === '' && frame.contextLine !== undefined) {
    name = collapseWhitespace(frame.contextLine);
    isLine = name !== '';
  }
  const key =
    isNative || (location === '' && (name === '' || isLine)) ? '' : `${location.length}:${location}${isLine ? '|' : '.'}${name}`;
  return { inApp: frame.inApp, location, name, isLine, isNative, key };
}

/** Returns the last two segments of a path or URL in lower case, with hashes, versions and build numbers replaced. */
function cleanPath(path: string): string {
  if (unnamedPaths.has(path) || path.startsWith('data:') || path.startsWith('eval at ')) return '';
  const segments = lastSegments(path);
  if (segments === undefined) return '/';
  const { folder, file } = segments;
  const cleaned = cleanSegment(file, folder === 'assets');
  return folder === '' ? cleaned : `${cleanSegment(folder, false)}/${cleaned}`;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const VERSION = /(?<![a-z0-9.])v?\d{1,9}(?:\.\d{1,9}){1,3}(?![a-z0-9])/g;
const PART = /[a-z0-9]+/g;
const PLAIN_SEGMENT = /^[a-z_.-]*$/;

/** `main.3f2a9c1b.js` → `main.<hash>.js`, `jquery-3.7.1.min.js` → `jquery-<version>.min.js`. */
function cleanSegment(segment: string, isOfVite: boolean): string {
  if (!isOfVite && PLAIN_SEGMENT.test(segment)) return segment;
  let text = segment;
  // Bundle names of esbuild (capitals), Rollup and Vite (any case) have eight characters between a dash or dot and the last
  // extension.
  const dot = text.lastIndexOf('.');
  if (dot >= 9) {
    const before = text.charCodeAt(dot - 9);
    const part = text.slice(dot - 8, dot);
    if ((before === 45 || before === 46) && (isOfVite ? /^(?=[a-z]*[A-Z0-9_-])[\w-]{8}$/ : /^[A-Z2-7]{8}$/).test(part)) {
      text = `${text.slice(0, dot - 8)}<hash>${text.slice(dot)}`;
    }
  }
  text = text.toLowerCase();
  if (text.length >= 36) text = text.replace(UUID, '<hash>');
  text = text.replace(VERSION, '<version>');
  return text.replace(PART, (part) => (isDigits(part) ? '<n>' : isHash(part) ? '<hash>' : part));
}

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
const HAS_DIGIT = /\d/;

/** Returns the function name without parts that change from build to build. Empty if there is no name. */
function cleanFunction(sent: string): string {
  let name = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (!plain.test(name)) {
    name = name.trim();
    // JavaScript: `foo [as bar]`.
    const alias = name.indexOf(' [as ');
    if (alias > 0) name = name.slice(0, alias);
    if (name.startsWith('async ')) name = name.slice(6);
    // PHP: names of anonymous classes contain a path and a number; so do closures since PHP 8.4.
    if (name.includes('@anonymous')) name = name.replace(/@anonymous.*?(?=::|$)/s, '@anonymous');
    if (name.includes('{closure')) name = name.replace(/\{closure[:#][^}]{0,256}\}/g, '{closure}');
    // Ruby: `block (2 levels) in foo`, and methods generated from templates.
    if (name.startsWith('block ')) name = name.replace(/^block \(\d{1,9} levels\) in /, 'block in ');
    name = cleanGenerated(name.replace(/__\d{1,20}_\d{1,20}$/, ''));
    // Rust appends a hash. Go numbers nested functions; C# and Kotlin number lambdas.
    if (HAS_DIGIT.test(name)) {
      name = name
        .replace(/::h[0-9a-f]{16}$/, '')
        .replace(/(?<=\.|^)(func|gowrap)\d{1,9}(?:\.\d{1,9})*/g, '$1')
        .replace(/(?<=>[a-z])__\d{1,9}_\d{1,9}/g, '')
        .replace(/(?<=\blambda)-\d{1,9}/g, '')
        .replace(/(?<=DisplayClass)\d{1,9}_\d{1,9}/g, '');
    }
  }
  if (name.includes('.')) name = name.replace(receivers, '');
  return missingNames.has(name) ? '' : name;
}

/** Normalises classes and methods that the Java platform and its libraries generate at runtime. */
function cleanGenerated(name: string): string {
  let text = name;
  if (text.includes('$')) {
    text = text
      .replace(/\$\$Lambda.*$/, '$$$$Lambda')
      .replace(/^(lambda\$.{1,250})\$\d{1,9}$/, '$1')
      .replace(/\$\$(?:Enhancer|FastClass|KeyFactory|SpringCGLIB)\w{0,40}\$\$.*$/, '$$$$CGLIB')
      .replace(/_\$\$_(?:jvst|javassist).*$/, '_$$$$_javassist')
      .replace(/\$(HibernateProxy|MockitoMock|ByteBuddy)\$.*$/, '$$$1')
      .replace(/(?<=\$Proxy)\d{1,9}/, '');
  }
  if (text.includes('Accessor')) text = text.replace(/(?<=Generated\w{6,24}Accessor)\d{1,9}/, '');
  // Clojure.
  return text.includes('__') ? text.replace(/__\d{1,9}(?=$|\.)/g, '') : text;
}

/** Returns the module without generated parts. The case is kept, because module names are case-sensitive in most languages. */
function cleanModule(sent: string): string {
  const module = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (plain.test(module)) return module;
  const text = cleanGenerated(module.includes('@anonymous') ? module.replace(/@anonymous.*$/s, '@anonymous') : module);
  if (!HAS_DIGIT.test(text)) return text;
  return text.replace(/[A-Za-z0-9]+/g, (part) => (part.length > 3 && isDigits(part) ? '<n>' : isHash(part) ? '<hash>' : part));
}
