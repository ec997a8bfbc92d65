import { isDigits, isHash, isRandom } from './nameParts.ts';

const MAX_SEGMENT_LENGTH = 128;

/** Paths that do not name a file. */
export const unnamedPaths: ReadonlySet<string> = new Set([
  '<anonymous>',
  '<unknown>',
  '<eval>',
  '[native code]',
  'native',
  '?',
  '(unknown)',
]);

/** The last two segments of a path. */
export interface LastSegments {
  /** Empty if there is none: a host name is not a folder. */
  readonly folder: string;
  readonly file: string;
}

/** Returns the last two segments of a path or URL without its query and fragment. Undefined for the path of a host, `/`. */
export function lastSegments(path: string): LastSegments | undefined {
  let end = endWithoutQuery(path);
  while (end > 0 && isSlash(path.charCodeAt(end - 1))) end -= 1;
  const last = lastSlashBefore(path, end);
  const file = path.slice(Math.max(last + 1, end - MAX_SEGMENT_LENGTH), end);
  if (last < 1) return { folder: '', file };
  // A host name is not a file: `https://host/`.
  if (isSchemeBefore(path, last)) return undefined;
  const previous = lastSlashBefore(path, last);
  const folder = path.slice(Math.max(previous + 1, last - MAX_SEGMENT_LENGTH), last);
  const isFolder = !relativeSegments.has(folder) && !folder.endsWith(':') && !isSchemeBefore(path, previous);
  return { folder: isFolder ? folder : '', file };
}

const relativeSegments: ReadonlySet<string> = new Set(['', '.', '..', '~']);

/** Returns the start of the query or fragment. Folder names may contain `#`. */
function endWithoutQuery(path: string): number {
  // `\\?\` is the prefix of long paths on Windows.
  const query = path.indexOf('?', 4);
  const end = query >= 0 ? query : path.length;
  const fragment = path.includes('://') ? path.indexOf('#') : path.indexOf('#', lastSlashBefore(path, end));
  return fragment > 0 && fragment < end ? fragment : end;
}

/** Returns true if `slash` is the second slash of `://`. */
function isSchemeBefore(path: string, slash: number): boolean {
  return slash >= 2 && path.charCodeAt(slash - 1) === 47 && path.charCodeAt(slash - 2) === 58;
}

function isSlash(code: number): boolean {
  return code === 47 || code === 92;
}

function lastSlashBefore(path: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && !isSlash(path.charCodeAt(at))) at -= 1;
  return at;
}

/**
 * Returns the last two segments of a path or URL in lower case, with hashes, versions and build numbers replaced. Paths are
 * percent-decoded, because some SDKs send URLs and others files.
 */
export function cleanPath(sent: string): string {
  if (unnamedPaths.has(sent) || sent.startsWith('data:') || sent.startsWith('eval at ')) return '';
  const path = sent.includes('%') ? decoded(sent.slice(0, endWithoutQuery(sent))) : sent;
  const segments = lastSegments(path);
  if (segments === undefined) return '/';
  const { folder, file } = segments;
  const isHashed = hashedFolder.test(path);
  const cleaned = cleanFile(file, isHashed);
  if (folder === '') return cleaned;
  return `${buildManifest.test(path) ? '<hash>' : cleanFolder(folder)}/${cleaned}`;
}

/** Returns the last segment of a path, cleaned like a path. */
export function fileOf(path: string): string {
  return cleanFile(lastSegments(path)?.file ?? '', false);
}

/** Decodes a path. Escapes that are not UTF-8 stay as they are. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Folders in which bundlers put files whose whole name may be a hash: of SvelteKit, Nuxt, Astro, Next.js, Expo, SolidStart, Fresh, Vite, Remix. */
const hashedFolder =
  /(?:^|[\\/])(?:_app[\\/]immutable|_nuxt|_astro|_next[\\/]static|_expo[\\/]static|_build|_frsh|_assets|_shared|assets)[\\/]/;
/** Next.js names a folder by the build. */
const buildManifest = /[\\/]_next[\\/]static[\\/][\w-]{10,40}[\\/]_(?:build|ssg|middleware)Manifest\.js/;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const VERSION = /(?<![a-z0-9.])v?\d{1,9}(?:\.\d{1,9}){1,3}(?![a-z0-9])/g;
const ADDRESS = /(?<![a-z0-9])0x[0-9a-f]{4,16}(?![a-z0-9])/g;
const PART = /[a-z0-9]+/g;
const PLAIN_SEGMENT = /^[a-z_.-]*$/;
/** Extensions behind the hash of a bundle: `theme.DiwrgTda.lean.js`. */
const EXTENSIONS =
  /(?:\.(?:lean|min|chunk|bundle|legacy|module|worker|esm|umd|prod|server|client))*\.(?:[cm]?jsx?|css|wasm|json|html?|hbc|bundle|map)(?:\.map)?$/i;
/** Hashes of esbuild. */
const BASE32 = /^[A-Z2-7]{8}$/;
const BASE64 = /^[\w-]{8}$/;

/** `main.3f2a9c1b.js` → `main.<hash>.js`, `jquery-3.7.1.min.js` → `jquery-<version>.min.js`. */
function cleanFile(file: string, isHashed: boolean): string {
  // A hash of eight letters may look like this, too, but rarely.
  if (PLAIN_SEGMENT.test(file)) return file;
  const text = withoutBundleHash(file, isHashed);
  return cleanParts(text, (part) => (isDigits(part) ? (part.length < 7 ? '<n>' : '<hash>') : isHash(part) ? '<hash>' : part));
}

/** Replaces a hash of eight characters behind a dash or dot before the extension, and where hashes are expected, as the whole name. */
function withoutBundleHash(file: string, isHashed: boolean): string {
  const extension = EXTENSIONS.exec(file);
  const end = extension?.index ?? file.lastIndexOf('.');
  if (end < 8) return file;
  const hash = file.slice(end - 8, end);
  const before = file.charAt(end - 9);
  if (before === '' ? !isHashed : before !== '-' && before !== '.') return file;
  const isBundle = BASE32.test(hash) || (extension !== null && BASE64.test(hash) && isRandom(hash));
  return isBundle ? `${file.slice(0, end - 8)}<hash>${file.slice(end)}` : file;
}

/** Folders that programs make anew for each run or build. */
const generatedFolder =
  /(?<=^tmp)(?=[a-z]{0,7}[0-9_])[a-z0-9_]{8}$|(?<=^_MEI)\w{6}$|(?<=^(?:ipykernel_|go-build))\d{1,12}$|(?<=^b)\d{3}$|(?<=^Container)(?=[A-Za-z]{0,6}[0-9_.-])[\w.-]{7}$|(?<=^App_Web_)[a-z0-9]{8}$/;

function cleanFolder(folder: string): string {
  if (PLAIN_SEGMENT.test(folder)) return folder;
  const text = folder.replace(generatedFolder, '<hash>');
  return cleanParts(text, (part) => (isDigits(part) ? '<n>' : isHash(part) ? '<hash>' : part));
}

function cleanParts(segment: string, replaced: (part: string) => string): string {
  let text = segment.toLowerCase();
  if (text.length >= 36) text = text.replace(UUID, '<hash>');
  return text.replace(VERSION, '<version>').replace(ADDRESS, '<hash>').replace(generatedFile, '$1<hash>').replace(PART, replaced);
}

/** Files that compilers and interpreters name anew: of ASP.NET, and temporary files of Python. */
const generatedFile = /^(app_web_|tmp)(?=[a-z]{0,7}[0-9_])[a-z0-9_]{8}(?=\.|$)/;
