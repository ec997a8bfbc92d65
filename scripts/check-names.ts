// Finds retired words in identifiers and file names. Each has a standard term that readers of the field know; see docs/contributing.md.
// `node scripts/check-names.ts --count` prints how often each retired word still occurs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** Retired word → the term to use. A word is one part of an identifier: `answerOf` has the words `answer` and `of`. */
export const retiredWords: Readonly<Record<string, string>> = {
  answer: 'response',
  answers: 'responses',
  arrival: 'ingest statistics',
  arrivals: 'ingest statistics',
  complain: 'addProblem',
  complaint: 'validation error',
  complaints: 'validation errors',
  door: 'entry',
  exchange: 'request context',
  facts: 'metadata',
  journal: 'request log',
  kept: 'stored or cached',
  ledger: 'route definitions',
  noted: 'commentable',
  sight: 'visibility',
  situation: 'state',
  situations: 'states',
  standing: 'access',
  told: 'reported',
  wish: 'input or options',
  wished: 'requested',
  wishes: 'inputs',
};

/** Identifiers in which a retired word has its ordinary or its standard meaning, with the reason. */
export const exceptions: Readonly<Record<string, string>> = {
  answerTexts: 'demo comments that answer a question',
  answersExample: 'a route answers',
  answersItsExample: 'a route answers',
  answersWhateverIsSent: 'a route answers',
  codeExchange: 'OAuth: a code is exchanged for tokens (RFC 6749, section 4.1.3)',
  exchangeCode: 'OAuth: a code is exchanged for tokens (RFC 6749, section 4.1.3)',
  exchangeRate: 'the price of a currency, in the demo data',
  mustAnswer: 'a foreign server has to answer',
  tracked_arrivals: 'the name of a table',
};

export interface NameProblem {
  readonly word: string;
  readonly name: string;
  readonly file: string;
  /** Line of the identifier, from 1; undefined for a file name. */
  readonly line: number | undefined;
}

/** Finds retired words in the names of files and in the identifiers of their sources. */
export function retiredNames(files: Readonly<Record<string, string>>): NameProblem[] {
  // Most identifiers occur many times.
  const known = new Map<string, readonly string[]>();
  const retiredIn = (name: string): readonly string[] => {
    const words = known.get(name) ?? retiredWordsIn(name);
    known.set(name, words);
    return words;
  };
  return Object.entries(files).flatMap(([file, source]) => {
    const baseName = path.basename(file).replace(/\..*$/, '');
    return [
      ...retiredIn(baseName).map((word) => ({ word, name: baseName, file, line: undefined })),
      ...identifiersOf(file, source).flatMap(({ name, start }) =>
        retiredIn(name).map((word) => ({ word, name, file, line: source.slice(0, start).split('\n').length })),
      ),
    ];
  });
}

function retiredWordsIn(name: string): string[] {
  return Object.hasOwn(exceptions, name) ? [] : wordsOf(name).filter((word) => Object.hasOwn(retiredWords, word));
}

/** Splits `MAX_BODY`, `max-body` and `maxBodyBytes` into lower-case words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .map((word) => word.toLowerCase());
}

interface Identifier {
  readonly name: string;
  readonly start: number;
}

/** Matches a source that may have a retired word. Others need not be parsed. */
const ANY_RETIRED_WORD = new RegExp(Object.keys(retiredWords).join('|'), 'i');

function identifiersOf(file: string, source: string): Identifier[] {
  if (!ANY_RETIRED_WORD.test(source)) return [];
  const found = new Map<number, Identifier>();
  visit(parseSync(file, source).program);
  return [...found.values()];

  function visit(node: unknown): void {
    if (Array.isArray(node)) for (const item of node) visit(item);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    if ((node.type === 'Identifier' || node.type === 'PrivateIdentifier') && isIdentifier(node)) found.set(node.start, node);
    for (const child of Object.values(node)) visit(child);
  }
}

function isIdentifier(node: object): node is Identifier {
  return 'name' in node && typeof node.name === 'string' && 'start' in node && typeof node.start === 'number';
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  // The demo workspace stands for the code of somebody else; this file has the retired words as keys.
  const tracked = execFileSync(
    'git',
    ['-c', 'core.fsmonitor=false', 'ls-files', '*.ts', '*.mjs', '*.js', ':!media', ':!scripts/check-names.ts'],
    {
      cwd: root,
      encoding: 'utf8',
      // Git hooks, for example, set GIT_DIR.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
    },
  )
    .trim()
    .split('\n');
  const files = Object.fromEntries(tracked.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  const problems = retiredNames(files);
  if (process.argv.includes('--count')) {
    for (const word of Object.keys(retiredWords))
      console.log(`${word.padEnd(12)} ${problems.filter((problem) => problem.word === word).length}`);
  } else {
    for (const { word, name, file, line } of problems)
      console.log(
        `${file}${line === undefined ? '' : `:${line}`}: ${name} has the retired word "${word}"; use ${retiredWords[word]}`,
      );
    process.exitCode = problems.length > 0 ? 1 : 0;
  }
}
