import { hasMoreChanges } from '../../repositories/changedPaths.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';

/** Extensions by language. Data and prose (JSON, YAML, Markdown) do not count, as on GitLab. */
const extensions: Readonly<Record<string, string>> = {
  Ada: 'adb ads',
  Assembly: 'asm s',
  Astro: 'astro',
  Batchfile: 'bat cmd',
  C: 'c h',
  'C#': 'cs csx',
  'C++': 'cpp cc cxx hpp hh hxx ipp',
  CMake: 'cmake',
  CSS: 'css',
  Clojure: 'clj cljs cljc',
  CoffeeScript: 'coffee',
  'Common Lisp': 'lisp',
  Crystal: 'cr',
  Cuda: 'cu cuh',
  D: 'd',
  Dart: 'dart',
  EJS: 'ejs',
  Elixir: 'ex exs',
  Elm: 'elm',
  'Emacs Lisp': 'el',
  Erlang: 'erl hrl',
  'F#': 'fs fsi fsx',
  Fortran: 'f f90 f95 f03',
  GLSL: 'glsl vert frag',
  Go: 'go',
  Groovy: 'groovy gradle',
  HCL: 'hcl tf tfvars',
  HTML: 'html htm xhtml',
  Haml: 'haml',
  Handlebars: 'handlebars hbs',
  Haskell: 'hs',
  Java: 'java',
  JavaScript: 'js cjs mjs jsx',
  Jinja: 'jinja jinja2 j2',
  Julia: 'jl',
  'Jupyter Notebook': 'ipynb',
  Kotlin: 'kt kts',
  Less: 'less',
  Lua: 'lua',
  MATLAB: 'matlab',
  Mustache: 'mustache',
  Nim: 'nim',
  Nix: 'nix',
  OCaml: 'ml mli',
  'Objective-C': 'm',
  'Objective-C++': 'mm',
  PHP: 'php phtml',
  PLpgSQL: 'pgsql',
  Pascal: 'pas',
  Perl: 'pl pm',
  PowerShell: 'ps1 psm1 psd1',
  Pug: 'pug',
  Python: 'py pyw pyi',
  R: 'r',
  Racket: 'rkt',
  Ruby: 'rb rake gemspec ru',
  Rust: 'rs',
  SCSS: 'scss',
  Sass: 'sass',
  Scala: 'scala sc',
  Scheme: 'scm',
  Shell: 'sh bash zsh fish',
  Slim: 'slim',
  Solidity: 'sol',
  Starlark: 'bzl star',
  Stylus: 'styl',
  Svelte: 'svelte',
  Swift: 'swift',
  SystemVerilog: 'sv svh',
  TSQL: 'tsql',
  Tcl: 'tcl',
  TeX: 'tex sty',
  Twig: 'twig',
  TypeScript: 'ts tsx mts cts',
  VHDL: 'vhd vhdl',
  Verilog: 'v',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vb',
  Vue: 'vue',
  WebAssembly: 'wat wast',
  XSLT: 'xsl xslt',
  Zig: 'zig',
};
const names: Readonly<Record<string, string>> = {
  Dockerfile: 'Dockerfile',
  Gemfile: 'Ruby',
  Jenkinsfile: 'Groovy',
  Justfile: 'Just',
  Makefile: 'Makefile',
  Rakefile: 'Ruby',
  'CMakeLists.txt': 'CMake',
};
const byExtension = new Map(
  Object.entries(extensions).flatMap(([language, list]) => list.split(' ').map((extension) => [extension, language] as const)),
);
const byName = new Map(Object.entries(names));

/** Directories and files of others, or written by programs. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|bower_components|vendor|vendors|third[-_]?party|dist|\.git[^/]*|\.yarn)\/|[.-]min\.(?:js|css)$/;

/** Number of files examined before the event loop continues. */
const FILES_AT_ONCE = 5000;
/** Maximum number of commits whose languages are cached. */
const MAX_CACHED = 500;

/** Percentages by language of commits, which are immutable. */
const cache = new Map<string, Promise<Readonly<Record<string, number>>>>();

/** Returns the language of a file by its name; undefined for data, prose and files of others. */
export function languageOf(path: string): string | undefined {
  if (FOREIGN.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return byName.get(name) ?? (dot < 0 ? undefined : byExtension.get(name.slice(dot + 1).toLowerCase()));
}

/** Returns the percentages of bytes by language of the files of a commit, the largest first. Commits with too many files have none, as on GitLab. */
export function languagesOf(repository: RepositoryDir, commit: string): Promise<Readonly<Record<string, number>>> {
  const known = cache.get(commit);
  if (known !== undefined) return known;
  const found = countLanguages(repository, commit);
  cache.set(commit, found);
  found.catch(() => cache.delete(commit));
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  return found;
}

async function countLanguages(repository: RepositoryDir, commit: string): Promise<Readonly<Record<string, number>>> {
  const { git, folder } = repository;
  if (await hasMoreChanges(repository, undefined, commit)) return {};
  const { stdout } = await git.run(folder, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]);
  const bytes = new Map<string, number>();
  let count = 0;
  for (let at = 0; at < stdout.length; count += 1) {
    const end = stdout.indexOf(0, at);
    const [, size, path] = /^1\d{5} blob [0-9a-f]+ +(\d+)\t(.*)$/s.exec(stdout.toString('utf8', at, end)) ?? [];
    const language = path === undefined ? undefined : languageOf(path);
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + Number(size));
    at = end < 0 ? stdout.length : end + 1;
    if (count % FILES_AT_ONCE === FILES_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  return Object.fromEntries(
    [...bytes]
      .filter(([, size]) => size > 0)
      .toSorted(([, a], [, b]) => b - a)
      .map(([language, size]) => [language, Math.round((size / total) * 10_000) / 100]),
  );
}
