// `npm run check`: types, rules, format, unused code, the manifest against the code, the words against their translations, the
// links of the documents, the sources that code cites, the third-party notices. Each tool counts as one test of `npm test`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);

/** Name → arguments of Node. Every tool is a program of node_modules, started without npm's wrapper. */
const tools: Readonly<Record<string, readonly string[]>> = {
  // Incremental: a second run looks only at what has changed since the first.
  types: [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.json',
    '--incremental',
    '--tsBuildInfoFile',
    '.cache/types.tsbuildinfo',
  ],
  rules: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'format', '.'],
  unused: ['node_modules/knip/bin/knip.js', '--no-progress'],
  manifest: ['scripts/check-manifest.ts'],
  text: ['scripts/check-translations.ts'],
  docs: ['scripts/check-docs.ts'],
  sources: ['scripts/check-sources.ts'],
  notices: ['esbuild.js', '--check'],
};

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  /** What the tool printed. */
  readonly output: string;
}

/** Runs all tools side by side. `onEnd` hears of each when it ends. */
export async function runChecks(onEnd: (check: Check) => void = () => {}): Promise<Check[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, args]) => {
      const check = await runTool(name, args);
      onEnd(check);
      return check;
    }),
  );
}

async function runTool(name: string, args: readonly string[]): Promise<Check> {
  const begin = performance.now();
  const tool = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      output += chunk;
    });
  }
  await once(tool, 'close');
  return { name, ok: tool.exitCode === 0, seconds: (performance.now() - begin) / 1000, output };
}

if (import.meta.main) {
  const checks = await runChecks(({ name, ok, seconds }) => {
    console.log(`${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s   ${ok ? 'ok' : 'FAILED'}`);
  });
  const failed = checks.filter((check) => !check.ok);
  for (const { name, output } of failed) console.log(`\n${name}:\n${output}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
