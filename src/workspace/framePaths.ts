import { decodedPath } from '../contract/decodedPath.ts';
import type { FrameLocation } from './frames.ts';

/** Path of a stack frame, from the outermost folder to the file. */
export interface FramePath {
  readonly parts: readonly string[];
  /** True if the first part is below the root of a file system or of a web server, false if it is relative to the program. */
  readonly isRooted: boolean;
  /** Number of leading parts that are the folder of the program in usual containers; 0 if it is unknown. */
  readonly rootLength: number;
  /** Index of the folder of a library; undefined for code that is in none. */
  readonly libraryAt: number | undefined;
  /**
   * For classes, whose path is their package: whether all parts are folders of the file, as in Java, or only usually the last ones, as in
   * languages whose compilers accept any folder and whose conventions leave out the package that all files share. Otherwise undefined.
   */
  readonly packageIs: 'path' | 'usually the path' | undefined;
}

/** Code without a file: `<anonymous>`, `node:internal/…`, `(eval)`, `[native code]`, bundler runtimes. */
const WITHOUT_FILE =
  /^(?:<.*>|\[.*\]|\(eval\b.*|eval at .*|evalmachine\..*|node:.*|native|internal\/.*|phar:.*|webpack(?:-internal)?:\/{2,3}(?:\.?\/?webpack\/|external ).*|rsc:.*|chrome-extension:.*|moz-extension:.*|data:.*|blob:.*)$/is;

/** URLs whose path is relative to the program, with the name of the program that some bundlers put in front. */
const OF_BUNDLER =
  /^(?:webpack(?:-internal)?:\/\/[^/]*\/(?:\([^)]*\)\/)?|turbopack:\/\/[^/]*\/|app:\/\/\/|ng:\/\/\/|vite:\/\/\/)/i;

/** Folders of programs in images and on build servers. */
const ROOTS: readonly RegExp[] = [
  /^usr\/src\/app$/,
  /^usr\/app$/,
  /^(?:app|workspace|code|src|srv|build)$/,
  /^workspaces\/[^/]+$/,
  /^srv\/[^/]+$/,
  /^var\/www(?:\/html|\/[^/]+)?$/,
  /^var\/task$/,
  /^opt\/(?:app|app-root\/src)$/,
  /^home\/(?:node|app|site)\/(?:app|wwwroot)$/,
  /^go\/src\/app$/,
  /^home\/runner\/work\/([^/]+)\/\1$/,
  /^builds\/[^/]+\/[^/]+$/,
  /^inetpub\/wwwroot$/i,
];

/** Folders that package managers fill. */
const LIBRARIES: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', '.pnpm', '.yarn', 'site-packages', 'dist-packages', 'vendor', 'gems'],
  ...['.cargo', '.rustup', '.m2', '.gradle'],
]);

/** Folders of languages and systems. */
const SYSTEM =
  /^(?:usr\/(?:local\/)?(?:lib|lib64|share|go|opt|include|bin)|opt\/(?:homebrew|hostedtoolcache|python|java|ruby)|nix\/store|System\/Library|Library\/(?:Developer|Frameworks|Java)|rustc|snap|Program Files(?: \(x86\))?|Windows|Python\d+|Go\/src|root\/\.(?:pyenv|rbenv|nvm)|home\/[^/]+\/\.(?:pyenv|rbenv|nvm|asdf)|go\/pkg)(?:\/|$)/i;

/** Returns the paths under which a frame is known; none if it has no file. */
export function framePaths({ filename, absPath, module }: FrameLocation): readonly FramePath[] {
  const ofClass = pathOfClass(filename, module ?? null);
  if (ofClass !== undefined) return [ofClass];
  const paths: FramePath[] = [];
  for (const path of [filename, absPath]) {
    if (path === null) continue;
    const one = pathOf(path);
    // The other path can be shortened in a way that hides that there is no file.
    if (one === undefined) return [];
    if (one.parts.length > 0) paths.push(...withDecodedParts(one));
  }
  return paths;
}

/** URLs have characters of file names in another form. A file can also be called like the URL of another one. */
function withDecodedParts(path: FramePath): readonly FramePath[] {
  const parts = path.parts.map(decodedPath);
  if (parts.every((part, at) => part === path.parts[at])) return [path];
  return parts.some((part) => part === '..' || part === '.') ? [] : [{ ...path, parts }, path];
}

/** Packages of the languages. Files of the workspace can have the names of theirs. */
const LANGUAGE_PACKAGE = /^(?:kotlinx?|scala|groovy|javax?|jdk|sun|androidx?)$/;

/** Java, Kotlin, Scala and Groovy name the file without its folder, which is the package of the class. */
function pathOfClass(filename: string | null, module: string | null): FramePath | undefined {
  if (module === null || filename === null || !/^[^\\/]+\.(?:java|kt|scala|groovy)$/.test(filename)) return undefined;
  // A class loader or module can be in front (java.base/java.lang.Thread), a nested class behind (a.b.C$D).
  const packages = (module.split('/').at(-1) ?? '').split('.').slice(0, -1);
  const isExact = filename.endsWith('.java') || LANGUAGE_PACKAGE.test(packages[0] ?? '');
  const packageIs = isExact ? 'path' : 'usually the path';
  return { parts: [...packages, filename], isRooted: false, rootLength: 0, libraryAt: undefined, packageIs };
}

function pathOf(path: string): FramePath | undefined {
  const plain = path
    .trim()
    .replace(/^async /, '')
    .replace(/[?#].*$/s, '');
  if (plain === '' || WITHOUT_FILE.test(plain) || plain.includes('\0')) return undefined;
  const { rest, isRooted } = withoutScheme(plain);
  const parts: string[] = [];
  for (const part of rest.split(/[\\/]+/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.' && part !== '~' && part !== '[project]') parts.push(part);
  }
  const joined = parts.slice(0, -1).join('/');
  const library = parts.findIndex(
    (part, index) => index < parts.length - 1 && (LIBRARIES.has(part) || /@v\d/.test(part) || isSystemPart(parts, index)),
  );
  const isSystem = isRooted && SYSTEM.test(joined);
  const libraryAt = isSystem ? 0 : library < 0 ? undefined : library;
  return { parts, isRooted, rootLength: isRooted ? rootLengthOf(parts) : 0, libraryAt, packageIs: undefined };
}

/** Python's own modules, wherever Python is: `lib/python3.12/json/decoder.py`. */
function isSystemPart(parts: readonly string[], index: number): boolean {
  return /^python\d/.test(parts[index] ?? '') && /^lib(?:64)?$/i.test(parts[index - 1] ?? '');
}

function withoutScheme(path: string): { readonly rest: string; readonly isRooted: boolean } {
  const bundled = OF_BUNDLER.exec(path)?.[0];
  if (bundled !== undefined) {
    const rest = path.slice(bundled.length);
    return { rest, isRooted: rest.startsWith('/') || /^[A-Za-z]:[\\/]/.test(rest) };
  }
  // Development servers send the files of the program by their path, and those outside of it below /@fs.
  const web = /^https?:\/\/[^/]*(?:\/@fs(?=\/))?/i.exec(path)?.[0];
  if (web !== undefined) return { rest: path.slice(web.length), isRooted: web.endsWith('/@fs') };
  const plain = path.replace(/^file:\/\/[^/]*/i, '').replace(/^[\\/]{2}\?[\\/]/, '');
  const local = plain.replace(/^\/?[A-Za-z]:(?=[\\/])/, '');
  if (/^[\\/]{2}[^\\/]/.test(local)) return { rest: local.replace(/^[\\/]{2}[^\\/]+[\\/]+[^\\/]+/, ''), isRooted: true };
  return { rest: local, isRooted: /^(?:[\\/]|~[\\/])/.test(local) };
}

function rootLengthOf(parts: readonly string[]): number {
  for (let length = Math.min(5, parts.length - 1); length > 0; length -= 1) {
    const folder = parts.slice(0, length).join('/');
    if (ROOTS.some((root) => root.test(folder))) return length;
  }
  return 0;
}
