// The checks of `npm run check`, which docs/contributing.md describes. Each tool counts as one test of `npm test`.
// `npm run check -- --fix` first repairs what a tool can repair.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);

interface Tool {
  /** Arguments of Node. Every tool is a program of node_modules or scripts/, started without npm's wrapper. */
  readonly args: readonly string[];
  /** Arguments of Node that repair what the tool finds, as far as a program can. */
  readonly fix?: readonly string[];
  /** Advice for failures that `fix` does not repair. */
  readonly hint?: string;
}

const LINT = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'];
const BIOME = 'node_modules/@biomejs/biome/bin/biome';

const tools: Readonly<Record<string, Tool>> = {
  types: types('tsconfig.json', 'types'),
  'types of server': types('server/tsconfig.json', 'types-server'),
  'types of src': types('src/tsconfig.json', 'types-src'),
  'types of pages': types('src/tsconfig.web.json', 'types-pages'),
  'types of src/contract': types('src/contract/tsconfig.json', 'types-contract'),
  'types of scripts': types('scripts/tsconfig.json', 'types-scripts'),
  rules: { args: LINT, fix: [...LINT, '--fix'] },
  format: { args: [BIOME, 'format', '.'], fix: [BIOME, 'format', '--write', '.'] },
  unused: {
    args: ['node_modules/knip/bin/knip.js', '--no-progress'],
    hint: 'Remove what nothing uses, or use it. Entry points are listed in knip.json.',
  },
  manifest: { args: ['scripts/check-manifest.ts'], hint: 'See "Add a command" in docs/recipes.md.' },
  translations: {
    args: ['scripts/check-translations.ts'],
    fix: ['scripts/check-translations.ts', '--fix'],
    hint: 'See "Add a language" in docs/recipes.md.',
  },
  docs: { args: ['scripts/check-docs.ts'] },
  sources: { args: ['scripts/check-sources.ts'], hint: 'Cite a heading of docs/interface.md or a section of an RFC.' },
  schema: {
    args: ['scripts/schema.ts', '--check'],
    fix: ['scripts/schema.ts'],
    hint: 'See "Add a migration" in docs/recipes.md.',
  },
  names: { args: ['scripts/check-names.ts'], hint: 'Use the term that the message names.' },
  structure: {
    args: ['scripts/check-structure.ts'],
    hint: 'Cycle: pass in what the lower folder needs, or move the code. Long function: split it. See docs/contributing.md.',
  },
  notices: { args: ['esbuild.js', '--check'], hint: 'Run: npm run build' },
};

/** Checks one program. Incremental: a second run checks only what has changed since the first. */
function types(config: string, cache: string): Tool {
  const options = ['--incremental', '--tsBuildInfoFile', `.cache/${cache}.tsbuildinfo`];
  return {
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

/** Runs all tools, as many at a time as the machine has cores. Calls `onEnd` with each when it ends. */
export async function runChecks(onEnd: (check: Check) => void = () => {}): Promise<Check[]> {
  const waiting = Object.entries(tools);
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

if (import.meta.main) {
  const [option, ...others] = process.argv.slice(2);
  if ((option !== undefined && option !== '--fix') || others.length > 0) {
    console.error('Usage: npm run check [-- --fix]');
    process.exit(2);
  }
  if (option === '--fix') await fixAll();
  const checks = await runChecks(({ name, ok, seconds }) => {
    console.log(`${name.padEnd(22)} ${seconds.toFixed(1).padStart(5)} s   ${ok ? 'ok' : 'FAILED'}`);
  });
  const failed = checks.filter((check) => !check.ok);
  for (const { name, output } of failed) console.log(`\n${name}:\n${output}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
