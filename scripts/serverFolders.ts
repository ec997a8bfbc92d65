// Which folders of server/ may import which files. Lint (lint-rules.ts) enforces it for each import, check-structure.ts for the graph.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the folder of `server/` that a file counts to, with its path: a feature, a folder of infrastructure, or the file itself if it is
 * directly in `server/`. Undefined outside of `server/`.
 */
export function folderOf(file: string): string | undefined {
  return /^server\/(?:features\/[^/]+|[^/]+)/.exec(file)?.[0];
}

/** Infrastructure that every feature uses, so that it imports none. */
const BELOW_FEATURES = new Set([
  'server/core',
  'server/http',
  'server/repositories',
  'server/store',
  'server/support',
  'server/web',
]);

/** Returns the reason why a file of `server/` may not import `file`, or undefined if it may. Both paths are relative to the root. */
export function forbiddenImport(from: string, file: string): string | undefined {
  const folder = folderOf(from);
  const feature = /^server\/features\/([^/]+)\//.exec(file)?.[0].slice(0, -1);
  if (folder === undefined || feature === undefined || folder === feature) return undefined;
  if (BELOW_FEATURES.has(folder)) return `${folder}/ imports no feature: let the feature pass in what is needed.`;
  const entry = `${feature}/${path.posix.basename(feature)}.ts`;
  return file === entry ? undefined : `${path.posix.basename(file)} is private to ${feature}/: import ${entry}.`;
}

/** Imports that break a rule until the code is moved. Both lists may only become shorter. Each line is `FOLDER -> FILE`. */
export interface KnownImports {
  /** Imports that `forbiddenImport` refuses. */
  readonly pastEntries: readonly string[];
  /** Imports without which the graph of folders has no cycle. */
  readonly againstOrder: readonly string[];
}

/** Returns the line of an import in the lists of known imports. */
export function lineOf(from: string, file: string): string {
  return `${folderOf(from) ?? from} -> ${file}`;
}

const KNOWN_IMPORTS = path.join(import.meta.dirname, 'knownImports.txt');

export function readKnownImports(): KnownImports {
  const lines = readFileSync(KNOWN_IMPORTS, 'utf8').split(/\r?\n/);
  const list = (prefix: string): string[] =>
    lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  return { pastEntries: list('past entry: '), againstOrder: list('against order: ') };
}

export function writeKnownImports({ pastEntries, againstOrder }: KnownImports): void {
  const lines = [
    ...[...new Set(pastEntries)].sort().map((line) => `past entry: ${line}\n`),
    ...[...new Set(againstOrder)].sort().map((line) => `against order: ${line}\n`),
  ];
  writeFileSync(KNOWN_IMPORTS, lines.join(''));
}
