// Sets a fresh clone up. Runs on any Node from 20 on, before node_modules exists, so it uses Node's own modules only.
// A second run finds its stamp and does nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stampFile = path.join(root, 'node_modules', '.signalbox-setup');
const wanted = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex');

const isDone = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
if (!isDone) {
  console.log('Setting up: installing the packages of package-lock.json (no install scripts are run) …');
  // Without `--include`, NODE_ENV=production would leave packages out.
  // The install scripts are not needed and one of them (node-gyp for better-sqlite3) would need a compiler.
  npm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  // npm 10 does not link the bin of an optional package in `ci`; rebuild does.
  npm(['rebuild', '--ignore-scripts', '--loglevel=error']);
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, wanted);
}

/** Runs the npm that started this script, or the one on PATH. */
function npm(args) {
  const execPath = process.env.npm_execpath;
  const viaNode = execPath !== undefined && /\.[cm]?js$/.test(execPath);
  const result = viaNode
    ? spawnSync(process.execPath, [execPath, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
        cwd: root,
        stdio: 'inherit',
        shell: process.platform === 'win32',
      });
  if (result.status !== 0) {
    console.error(`Set-up failed: npm ${args[0]} ended with ${result.status ?? result.signal ?? result.error}.`);
    process.exit(1);
  }
}
