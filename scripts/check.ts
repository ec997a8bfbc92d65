// The checks of `npm run check`, which docs/contributing.md describes. Each tool counts as one test of `npm test`.
// `npm run check -- --fix` first repairs what a tool can repair. `npm run check -- --changed` runs only the tools that uncommitted changes can
// make fail.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);

interface Tool {
  /** Matches the paths of the files that decide the result, relative to the root and with `/`. */
  readonly inputs: RegExp;
  /** Arguments of Node. Every tool is a program of node_modules or scripts/, started without npm's wrapper. */
  readonly args: readonly string[];
  /** Arguments of Node that repair what the tool finds, as far as a program can. */
  readonly fix?: readonly string[];
  /** Advice for failures that `fix` does not repair. */
  readonly hint?: string;
}

const RULES = 'scripts/check-rules.ts';
const BIOME = 'node_modules/@biomejs/biome/bin/biome';

const ANY = /^/;
/** Source files, and what decides how they are read. */
const SOURCES = /\.(?:[mc]?[jt]s)$|(?:^|\/)tsconfig[^/]*\.json$|^(?:package|package-lock|knip|\.oxlintrc)\.json$/;
const SERVER = /^(?:server|src\/contract|scripts)\/|^package-lock\.json$/;

/** The tools that take longest come first, so that the run does not end with one of them alone. */
export const tools: Readonly<Record<string, Tool>> = {
  rules: {
    inputs: SOURCES,
    args: [RULES],
    fix: [RULES, '--fix'],
  },
  types: types('tsconfig.json', 'types', SOURCES),
  'types of server': types('scripts/tsconfig.json', 'types-server', SOURCES),
  unused: {
    inputs: SOURCES,
    args: ['node_modules/knip/bin/knip.js', '--no-progress'],
    hint: 'Remove what nothing uses, or use it. Entry points are listed in knip.json.',
  },
  format: { inputs: ANY, args: [BIOME, 'format', '.'], fix: [BIOME, 'format', '--write', '.'] },
  notices: {
    inputs: /^(?:src|server|media)\/|^(?:esbuild\.js|package-lock\.json|THIRD_PARTY_NOTICES|scripts\/notices\.ts)$/,
    args: ['esbuild.js', '--check'],
    hint: 'Run: npm run build',
  },
  'types of src': types('src/tsconfig.json', 'types-src', /^src\/|tsconfig[^/]*\.json$|^package-lock\.json$/),
  structure: {
    inputs: /^(?:server|src|scripts)\//,
    args: ['scripts/check-structure.ts'],
    hint: 'Cycle: pass in what the lower folder needs, or move the code. Long function: split it. See docs/contributing.md.',
  },
  docs: { inputs: ANY, args: ['scripts/check-docs.ts'] },
  names: { inputs: SOURCES, args: ['scripts/check-names.ts'], hint: 'Use the term that the message names.' },
  translations: {
    inputs: /^(?:src|media|l10n|scripts)\/|^package\..*json$/,
    args: ['scripts/check-translations.ts'],
    fix: ['scripts/check-translations.ts', '--fix'],
    hint: 'See "Add a language" in docs/recipes.md.',
  },
  sources: {
    inputs: /^(?:server|src|scripts|test)\/|^docs\/interface\.md$/,
    args: ['scripts/check-sources.ts'],
    hint: 'Cite a heading of docs/interface.md or a section of an RFC.',
  },
  schema: {
    inputs: SERVER,
    args: ['scripts/schema.ts', '--check'],
    fix: ['scripts/schema.ts'],
    hint: 'See "Add a migration" in docs/recipes.md.',
  },
  manifest: {
    inputs: /^(?:src|media|scripts)\/|^package\.(?:.*\.)?json$/,
    args: ['scripts/check-manifest.ts'],
    hint: 'See "Add a command" in docs/recipes.md.',
  },
  'types of pages': types('src/tsconfig.web.json', 'types-pages', /^src\/|tsconfig[^/]*\.json$|^package-lock\.json$/),
  'types of src/contract': types(
    'src/contract/tsconfig.json',
    'types-contract',
    /^src\/contract\/|tsconfig[^/]*\.json$|^package-lock\.json$/,
  ),
};

/** Checks one program. Incremental: a second run checks only what has changed since the first. */
function types(config: string, cache: string, inputs: RegExp): Tool {
  const options = ['--incremental', '--tsBuildInfoFile', `.cache/${cache}.tsbuildinfo`];
  return {
    inputs,
    args: ['node_modules/typescript/bin/tsc', '-p', config, ...options],
    hint: `${config} says which globals and modules the program sees.`,
  };
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  /** The output of the tool and, after a failure, what to do about it. */
  readonly output: string;
}

/**
 * Runs tools, as many at a time as the machine has cores. Calls `onEnd` with each when it ends.
 *
 * @param changed The changed files; only the tools for which they are inputs run. Without it, all tools run.
 */
export async function runChecks(onEnd: (check: Check) => void = () => {}, changed?: readonly string[]): Promise<Check[]> {
  const waiting = Object.entries(tools).filter(([, { inputs }]) => changed?.some((file) => inputs.test(file)) ?? true);
  const checks: Check[] = [];
  async function runNext(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, tool] = next;
      const begin = performance.now();
      const { ok, output } = await runTool(tool.args);
      const check = {
        name,
        ok,
        seconds: (performance.now() - begin) / 1000,
        output: ok ? output : [output.trimEnd(), ...adviceFor(tool), ''].join('\n'),
      };
      onEnd(check);
      checks.push(check);
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext));
  return checks;
}

function adviceFor({ fix, hint }: Tool): string[] {
  return [
    ...(fix === undefined ? [] : ['To repair what a program can: npm run check -- --fix']),
    ...(hint === undefined ? [] : [hint]),
  ];
}

/** Runs the repairs one after the other, because several of them write the same files. */
async function fixAll(): Promise<void> {
  for (const { fix } of Object.values(tools)) if (fix !== undefined) await runTool(fix);
}

async function runTool(args: readonly string[]): Promise<{ readonly ok: boolean; readonly output: string }> {
  const tool = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      output += chunk;
    });
  }
  await once(tool, 'close');
  return { ok: tool.exitCode === 0, output };
}

/** Returns the files that differ from the last commit or are new, relative to the root and with `/`. */
function changedFiles(): readonly string[] {
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter(Boolean);
  return [...git('diff', '--name-only', '--no-renames', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
}

if (import.meta.main) {
  const [option, ...others] = process.argv.slice(2);
  if ((option !== undefined && option !== '--fix' && option !== '--changed') || others.length > 0) {
    console.error('Usage: npm run check [-- --fix | --changed]');
    process.exit(2);
  }
  const begin = performance.now();
  if (option === '--fix') await fixAll();
  const checks = await runChecks(
    ({ name, ok, seconds }) => {
      console.log(`${name.padEnd(22)} ${seconds.toFixed(1).padStart(5)} s   ${ok ? 'ok' : 'FAILED'}`);
    },
    option === '--changed' ? changedFiles() : undefined,
  );
  const failed = checks.filter((check) => !check.ok);
  for (const { name, output } of failed) console.log(`\n${name}:\n${output}`);
  console.log(`${'total'.padEnd(22)} ${((performance.now() - begin) / 1000).toFixed(1).padStart(5)} s   ${checks.length} tools`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
