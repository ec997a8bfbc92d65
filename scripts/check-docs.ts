// Checks the Markdown documents: README.md and ARCHITECTURE.md stay short, and every relative link in README.md, ARCHITECTURE.md,
// CHANGELOG.md and docs/ leads to a file and, where it names one, to a heading in it. Links to web addresses are not followed. Identifiers
// that the pages for developers name in code occur in the sources. docs/design/files.md has one row for each source file without a
// conventional name. The table of deprecations in docs/interface.md equals the registry.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deprecationIds, deprecationOf } from '../src/contract/deprecations.ts';
import MarkdownIt, { type Token } from 'markdown-it';

/** Largest size in bytes of the documents that people read first. Longer texts belong on the pages that they link to. */
export const MAX_OVERVIEW_BYTES = 8 * 1024;

/** The documents of limited size, and the folder for what does not fit. */
const overviews: readonly (readonly [file: string, folder: string])[] = [
  ['README.md', 'docs/'],
  ['ARCHITECTURE.md', 'docs/design/'],
];

/** The page with a row for each source file. */
const FILE_LIST = 'docs/design/files.md';
/** Names whose contents the file list describes for all folders together. */
const CONVENTIONAL_NAME =
  /(?:^|\/)(?:changes|(?:r|\w*R)outes|responses|present|(?:s|\w*S)tore|(?:p|\w*P)ages|migrations\/\d+-.+)\.ts$|\.d\.ts$|^server\/features\/(\w+)\/\1\.ts$/;

const markdown = new MarkdownIt();

/** The pages about the sources, in which identifiers are checked. */
const DEVELOPER_PAGE = /^(?:ARCHITECTURE|docs\/recipes|docs\/contributing|docs\/design\/[^/]+)\.md$/;
/** An identifier of several words, such as `keysetSize` or `KnownVersion`. Single words may be plain English. */
const IDENTIFIER = /(?<![\w$/%.-])[A-Za-z][a-z\d]+(?:[A-Z][a-z\d]*)+\b(?!\.\w)/g;

/**
 * @param documents path relative to the root of the repository → text of the Markdown file
 * @param exists whether a path relative to the root is a file or folder of the repository
 * @param identifiers all identifiers of the sources
 * @param sources paths of the source files of the extension and the server
 * @returns the problems, one line each; empty if there are none
 */
export function documentProblems(
  documents: Readonly<Record<string, string>>,
  exists: (file: string) => boolean,
  identifiers: ReadonlySet<string>,
  sources: readonly string[] = [],
): string[] {
  const anchors = new Map(Object.entries(documents).map(([file, text]) => [file, headingAnchors(text)]));
  return [
    ...overviews.flatMap(([file, folder]) => {
      const bytes = Buffer.byteLength(documents[file] ?? '');
      if (bytes <= MAX_OVERVIEW_BYTES) return [];
      return [`${file} has ${bytes} bytes, at most ${MAX_OVERVIEW_BYTES} are allowed. Move details to a page in ${folder}.`];
    }),
    ...Object.entries(documents).flatMap(([file, text]) =>
      relativeLinks(text).flatMap(({ line, target }) => {
        const reason = linkProblem(file, target);
        return reason === undefined ? [] : [`${file}:${line}: the link ${target} leads nowhere: ${reason}`];
      }),
    ),
    ...Object.entries(documents).flatMap(([file, text]) =>
      DEVELOPER_PAGE.test(file)
        ? identifiersIn(text).flatMap(({ line, name }) =>
            identifiers.has(name) ? [] : [`${file}:${line}: \`${name}\` occurs nowhere in the sources`],
          )
        : [],
    ),
    ...fileListProblems(documents[FILE_LIST] ?? '', sources),
  ];

  function linkProblem(from: string, target: string): string | undefined {
    const [address = '', ...rest] = target.split('#');
    const anchor = rest.join('#');
    const file = address === '' ? from : path.posix.join(path.posix.dirname(from), decodeURIComponent(address));
    if (path.posix.isAbsolute(address) || file === '..' || file.startsWith('../')) return 'it leaves the repository';
    if (!exists(file)) return `there is no ${file}`;
    if (rest.length === 0) return undefined;
    const known = anchors.get(file);
    // Only lines of other files can be linked to.
    if (known === undefined) return /^L\d+(?:-L\d+)?$/.test(anchor) ? undefined : `${file} has no headings`;
    return known.has(decodeURIComponent(anchor)) ? undefined : `${file} has no heading #${anchor}`;
  }
}

function fileListProblems(text: string, sources: readonly string[]): string[] {
  const rows = new Map<string, number>();
  // A row begins with the link of its file. Other links of a row are pointers.
  for (const [, target = ''] of text.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)) {
    const file = path.posix.join(path.posix.dirname(FILE_LIST), target);
    rows.set(file, (rows.get(file) ?? 0) + 1);
  }
  return [
    ...sources
      .filter((file) => !CONVENTIONAL_NAME.test(file) && !rows.has(file))
      .map((file) => `${FILE_LIST}: no row for ${file}`),
    ...[...rows].filter(([, count]) => count > 1).map(([file, count]) => `${FILE_LIST}: ${count} rows for ${file}`),
  ];
}

/** The page with the table of deprecations. */
const INTERFACE = 'docs/interface.md';

/** Returns the rows of the table of deprecations, as the registry says. */
export function deprecationRows(): readonly string[] {
  return deprecationIds.map((id) => {
    const { items, announcedIn, removedIn, textNames, afterwards, replacement } = deprecationOf(id);
    const removal = `${removedIn ?? 'not planned'}${textNames === undefined ? '' : ` (the text says ${textNames})`}`;
    const after = { gone: '410', absent: '404', changed: 'changed' }[afterwards];
    return `| \`${id}\` | ${items.map((item) => `\`${item}\``).join(', ')} | ${announcedIn} | ${removal} | ${after} | ${replacement}. |`;
  });
}

/** Compares the table of deprecations of a page with the registry. */
export function deprecationProblems(text: string): readonly string[] {
  const ids: readonly string[] = deprecationIds;
  const rows = text.split('\n').filter((line) => ids.includes(/^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? ''));
  const expected = deprecationRows();
  return [
    ...expected.filter((row) => !rows.includes(row)).map((row) => `${INTERFACE}: the registry has this row: ${row}`),
    ...rows.filter((row) => !expected.includes(row)).map((row) => `${INTERFACE}: the registry does not have this row: ${row}`),
  ];
}

interface Link {
  readonly line: number;
  readonly target: string;
}

function relativeLinks(text: string): Link[] {
  return markdown.parse(text, {}).flatMap((block) => {
    const line = (block.map?.[0] ?? 0) + 1;
    return (block.children ?? []).flatMap((token) => {
      const target = token.attrGet('href') ?? token.attrGet('src');
      return typeof target !== 'string' || /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target) ? [] : [{ line, target }];
    });
  });
}

function identifiersIn(text: string): { readonly line: number; readonly name: string }[] {
  return markdown.parse(text, {}).flatMap((block) => {
    const line = (block.map?.[0] ?? 0) + 1;
    const codes = [block, ...(block.children ?? [])].filter(({ type }) => type === 'code_inline' || type === 'fence');
    return codes.flatMap(({ content }) => (content.match(IDENTIFIER) ?? []).map((name) => ({ line, name })));
  });
}

/** The anchors that Git hosting sites give to the headings of a file: a second heading of the same text gets `-1`, a third `-2`. */
function headingAnchors(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const blocks = markdown.parse(text, {});
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'heading_open') continue;
    const name = plainText(blocks[index + 1]?.children ?? [])
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : '')).join('');
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const files = globSync(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'docs/**/*.md'], { cwd: root });
  const sources = globSync(['{src,server,scripts,test}/**/*.ts', '*.{js,json,ts}'], { cwd: root });
  const identifiers = new Set(sources.flatMap((file) => readFileSync(path.join(root, file), 'utf8').match(/\w+/g) ?? []));
  const problems = documentProblems(
    Object.fromEntries(files.map((file) => [file.replaceAll('\\', '/'), readFileSync(path.join(root, file), 'utf8')])),
    // Built and installed files are absent in a fresh clone.
    (file) => !/^(?:dist|node_modules|\.cache)(?:\/|$)/.test(file) && existsSync(path.join(root, file)),
    identifiers,
    globSync('{src,server}/**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/')),
  );
  problems.push(...deprecationProblems(readFileSync(path.join(root, INTERFACE), 'utf8')));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
