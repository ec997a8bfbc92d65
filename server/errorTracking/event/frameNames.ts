import type { Frame } from './event.ts';

/**
 * What a frame says of itself that stays the same from build to build and from machine to machine: never a line, a column, an address or
 * the number that a compiler gave. All input is cut before a pattern sees it, and no pattern can be made to look at a character often.
 */
export interface CleanFrame {
  readonly inApp: boolean;
  /** Module, else the last two segments of the path; empty when the frame names neither. */
  readonly location: string;
  /** Function; for one without a name its line of source, without spaces that say nothing. Empty when there is neither. */
  readonly name: string;
  /** `name` is a line of source. */
  readonly isLine: boolean;
  /** Code of the engine itself, which some engines show and others do not. */
  readonly isNative: boolean;
  /** Place and name as one text that no other pair makes. Empty: the frame says nothing. */
  readonly key: string;
}

const MAX_NAME_LENGTH = 256;
const MAX_SEGMENT_LENGTH = 128;
const MAX_LINE_LENGTH = 120;

/** Programs fail in the same places again and again, and looking one up is a tenth of cleaning it. */
const MAX_REMEMBERED = 2_000;

function remembered(clean: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > MAX_NAME_LENGTH) return clean(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const cleaned = clean(text);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, cleaned);
    return cleaned;
  };
}

const placeOfPath = remembered(cleanPath);
const placeOfModule = remembered(cleanModule);
const nameOfFunction = remembered(cleanFunction);

export function cleanFrame(frame: Frame): CleanFrame {
  const { module, function: called } = frame;
  const path = frame.filename ?? frame.absPath;
  const location = module === undefined || module === '' ? (path === undefined ? '' : placeOfPath(path)) : placeOfModule(module);
  let name = called === undefined ? '' : nameOfFunction(called);
  const isNative = isNativeCode(frame, path);
  let isLine = false;
  if (name === '' && frame.contextLine !== undefined) {
    name = foldLine(frame.contextLine);
    isLine = name !== '';
  }
  const key =
    isNative || (location === '' && (name === '' || isLine)) ? '' : `${location.length}:${location}${isLine ? '|' : '.'}${name}`;
  return { inApp: frame.inApp, location, name, isLine, isNative, key };
}

/** Safari says `[native code]`; V8 has `native` and, for built-in functions, no place at all. */
function isNativeCode(frame: Frame, path: string | undefined): boolean {
  return path === '[native code]' || path === 'native' || (path === '<anonymous>' && frame.line === undefined);
}

/** Paths that lead nowhere. */
const nowhere: ReadonlySet<string> = new Set(['<anonymous>', '<unknown>', '<eval>', '[native code]', 'native', '?', '(unknown)']);

/** The last two segments of a path or URL in lower case; hashes, versions and numbers of builds are replaced. */
export function cleanPath(path: string): string {
  if (nowhere.has(path) || path.startsWith('data:') || path.startsWith('eval at ')) return '';
  let end = endOfPath(path);
  while (end > 0 && isSlash(path.charCodeAt(end - 1))) end -= 1;
  const last = slashBefore(path, end);
  const file = path.slice(Math.max(last + 1, end - MAX_SEGMENT_LENGTH), end);
  if (last < 1) return cleanSegment(file, false);
  // What stands where a host does names no file: `https://host/`.
  if (isSchemeBefore(path, last)) return '/';
  const previous = slashBefore(path, last);
  const folder = path.slice(Math.max(previous + 1, last - MAX_SEGMENT_LENGTH), last);
  if (noFolders.has(folder) || folder.endsWith(':') || isSchemeBefore(path, previous)) return cleanSegment(file, false);
  return `${cleanSegment(folder, false)}/${cleanSegment(file, folder === 'assets')}`;
}

const noFolders: ReadonlySet<string> = new Set(['', '.', '..', '~']);

/** Where a query or fragment begins. A folder may have `#` in its name. */
function endOfPath(path: string): number {
  // `\\?\` is how Windows begins a long path.
  const query = path.indexOf('?', 4);
  const end = query >= 0 ? query : path.length;
  const fragment = path.includes('://') ? path.indexOf('#') : path.indexOf('#', slashBefore(path, end));
  return fragment > 0 && fragment < end ? fragment : end;
}

/** `slash` is the second one of `://`. */
function isSchemeBefore(path: string, slash: number): boolean {
  return slash >= 2 && path.charCodeAt(slash - 1) === 47 && path.charCodeAt(slash - 2) === 58;
}

function isSlash(code: number): boolean {
  return code === 47 || code === 92;
}

function slashBefore(path: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && !isSlash(path.charCodeAt(at))) at -= 1;
  return at;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const VERSION = /(?<![a-z0-9.])v?\d{1,9}(?:\.\d{1,9}){1,3}(?![a-z0-9])/g;
const PART = /[a-z0-9]+/g;
const PLAIN_SEGMENT = /^[a-z_.-]*$/;

/** `main.3f2a9c1b.js` → `main.<hash>.js`, `jquery-3.7.1.min.js` → `jquery-<version>.min.js`. */
function cleanSegment(segment: string, isOfVite: boolean): string {
  if (!isOfVite && PLAIN_SEGMENT.test(segment)) return segment;
  let text = segment;
  // Eight characters between a dash or dot and the last ending: how esbuild (capitals), Rollup and Vite (any) name what they bundle.
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

function isDigits(part: string): boolean {
  for (let at = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** At least seven hexadecimal digits, some of them letters and some not. */
function isHash(part: string): boolean {
  if (part.length < 7) return false;
  let digits = 0;
  for (let at = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at) | 32;
    if (code >= 48 && code <= 57) digits += 1;
    else if (code < 97 || code > 102) return false;
  }
  return digits > 0 && digits < part.length;
}

/** Names that say only that there is none; `eval` and `native` are where code came from. */
const nameless: ReadonlySet<string> = new Set([
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

/** Receivers that V8 puts before functions which are called as plain ones. */
const receivers = /^(?:async )?(?:Object|Module|Function|exports|module\.exports|global|globalThis|window|self)\.(?=[^.])/;
const plain = /^[A-Za-z_.]*$/;
const HAS_DIGIT = /\d/;

/** A function's name without what changes from build to build; empty for one that has none. */
export function cleanFunction(sent: string): string {
  let name = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (!plain.test(name)) {
    name = name.trim();
    // JavaScript: `foo [as bar]`.
    const alias = name.indexOf(' [as ');
    if (alias > 0) name = name.slice(0, alias);
    if (name.startsWith('async ')) name = name.slice(6);
    // PHP: the name of a class without one holds a path and a number; so does a closure since 8.4.
    if (name.includes('@anonymous')) name = name.replace(/@anonymous.*?(?=::|$)/s, '@anonymous');
    if (name.includes('{closure')) name = name.replace(/\{closure[:#][^}]{0,256}\}/g, '{closure}');
    // Ruby: `block (2 levels) in foo`, and methods that are made of templates.
    if (name.startsWith('block ')) name = name.replace(/^block \(\d{1,9} levels\) in /, 'block in ');
    name = cleanGenerated(name.replace(/__\d{1,20}_\d{1,20}$/, ''));
    // Rust ends with a hash; Go counts functions within functions, C# and Kotlin lambdas.
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
  return nameless.has(name) ? '' : name;
}

/** Classes and methods that the Java platform and its libraries make up while a program runs. */
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

/** A module keeps its case: in most languages it is part of the name. */
export function cleanModule(sent: string): string {
  const module = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (plain.test(module)) return module;
  const text = cleanGenerated(module.includes('@anonymous') ? module.replace(/@anonymous.*$/s, '@anonymous') : module);
  if (!HAS_DIGIT.test(text)) return text;
  return text.replace(/[A-Za-z0-9]+/g, (part) => (part.length > 3 && isDigits(part) ? '<n>' : isHash(part) ? '<hash>' : part));
}

/** A line of source without the spaces that a formatter may change. */
function foldLine(line: string): string {
  return line
    .slice(0, 4 * MAX_LINE_LENGTH)
    .trim()
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_LINE_LENGTH);
}
