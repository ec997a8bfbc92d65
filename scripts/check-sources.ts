// Compares docs/interface.md with the code: its third-level headings are the keys that routes name (server/http/specRefs.ts) and that
// comments cite as `docs/interface.md#heading`. It also finds citations of pages that are not in the repository.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { specRefs } from '../server/http/specRefs.ts';

export interface Sources {
  /** Text of docs/interface.md. */
  readonly page: string;
  readonly keys: readonly string[];
  /** File name → text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Citations that readers of the repository cannot follow. */
const citations: readonly RegExp[] = [
  /\b(?:oauth|rest|errors|decisions|anchors|libs|design|vscode-host)\.md\b/,
  /\bdecisions? \d/,
  /\b(?:errors|oauth|rest) \d+\.\d/,
  /\(description, (?:[A-Z]|rule)/,
  // Numbers of a list of advice, and issues of other projects, in test titles.
  /['"`]S\d{2}\b/,
  /['"`][\w./-]+#\d+: /,
  // A section number without a document.
  /\(§/,
];

/** The documented interface as the source of a comment. The description of an issue or a release is not a source. */
const descriptionAsSource =
  /\b[Tt]he (?:interface )?description(?:’s|'s)?(?= (?:says|states|names|calls|asks|leaves|wants|demands|own)\b|[.;,)]|’s|'s)/;

/** Returns the problems, one line each; empty if there are none. */
export function sourceProblems({ page, keys, files }: Sources): string[] {
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title);
  const anchors = new Map(keys.map((key) => [anchorOf(key), key]));
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    for (const [, key = ''] of text.matchAll(/\bspecRef(?:: | = )'([^']+)'/g)) used.add(key);
    for (const [index, line] of text.split('\n').entries()) {
      const at = `${file}:${index + 1}`;
      for (const [, anchor = ''] of line.matchAll(/docs\/interface\.md#([\w-]+)/g)) {
        const key = anchors.get(anchor);
        if (key === undefined) problems.push(`${at}: docs/interface.md has no heading "#${anchor}"`);
        else used.add(key);
      }
      const cited = [...citations, ...(/^\s*(?:\*|\/\/|\/\*\*)/.test(line) ? [descriptionAsSource] : [])].find((one) =>
        one.test(line),
      );
      if (cited !== undefined) {
        problems.push(
          `${at}: cites a page that is not in the repository ("${cited.exec(line)?.[0]}"); cite docs/interface.md#heading or an RFC, or give the reason`,
        );
      }
    }
  }
  return [
    ...keys
      .filter((key) => !headings.includes(key))
      .map((key) => `docs/interface.md has no heading "${key}" of server/http/specRefs.ts`),
    ...headings.filter((title) => !keys.includes(title)).map((title) => `server/http/specRefs.ts lacks the heading "${title}"`),
    ...keys.filter((key) => !used.has(key)).map((key) => `no route or comment cites the heading "${key}" of docs/interface.md`),
    ...problems,
  ];
}

/** Returns the fragment of a heading, as code hosts generate it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const names = globSync('{server,src,scripts,test}/**/*.{ts,mjs}', { cwd: root });
  // These two files contain the forbidden citations themselves.
  const own = ['scripts/check-sources.ts', 'test/toolchain/sources.unit.test.ts'];
  const files = Object.fromEntries(names.filter((name) => !own.includes(name)).map((name) => [name, read(name)]));
  const problems = sourceProblems({ page: read('docs/interface.md'), keys: specRefs, files });
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
