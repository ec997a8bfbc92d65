// Checks that the graph of the folders of server/ has no cycle, where a feature and a folder of infrastructure count as one node each and
// imports of types count too, and that scripts/knownImports.txt lists only imports that still need it.
// `node scripts/check-structure.ts --prune` removes the others from the list. `--counts` prints the size of what is still to be moved.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { folderOf, forbiddenImport, type KnownImports, lineOf, readKnownImports, writeKnownImports } from './serverFolders.ts';
import { longFunctions, parametersOfType, sharedTables } from './structureCounts.ts';

export interface Import {
  readonly from: string;
  readonly file: string;
}

/** Returns the imports of files of the project by files of `server/`. `files` maps paths relative to the root to sources. */
export function importsOf(files: Readonly<Record<string, string>>): Import[] {
  return Object.entries(files).flatMap(([from, source]) =>
    [...source.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.{1,2}\/[^']+)'/g)]
      .map(([, specifier = '']) => ({ from, file: path.posix.join(path.posix.dirname(from), specifier) }))
      .filter(({ file }) => file.startsWith('server/')),
  );
}

/** Folder → folder → the imports between them. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, readonly Import[]>>;

function graphOf(imports: readonly Import[]): Graph {
  const graph = new Map<string, Map<string, Import[]>>();
  for (const one of imports) {
    const from = folderOf(one.from) ?? '';
    const to = folderOf(one.file) ?? '';
    if (from === to) continue;
    const targets = graph.get(from) ?? new Map<string, Import[]>();
    graph.set(from, targets.set(to, [...(targets.get(to) ?? []), one]));
  }
  return graph;
}

/** Returns the folders of a shortest path from `start` to `end`, both included; undefined if there is none. */
function pathBetween(graph: Graph, start: string, end: string): readonly string[] | undefined {
  const paths = new Map([[start, [start]]]);
  for (const [folder, way] of paths) {
    if (folder === end) return way;
    for (const next of graph.get(folder)?.keys() ?? []) if (!paths.has(next)) paths.set(next, [...way, next]);
  }
  return undefined;
}

/** Returns a shortest cycle of folders, as the imports from each folder to the next; empty if there is none. */
export function shortestCycle(imports: readonly Import[]): readonly (readonly Import[])[] {
  const graph = graphOf(imports);
  let shortest: readonly string[] = [];
  for (const [folder, targets] of graph) {
    for (const target of targets.keys()) {
      const way = pathBetween(graph, target, folder);
      if (way !== undefined && (shortest.length === 0 || way.length < shortest.length)) shortest = way;
    }
  }
  return shortest.map((folder, index) => graph.get(folder)?.get(shortest[(index + 1) % shortest.length] ?? '') ?? []);
}

/** Returns the known imports that are still needed. */
export function neededImports(imports: readonly Import[], known: KnownImports): KnownImports {
  const forbidden = new Set(
    imports.filter(({ from, file }) => forbiddenImport(from, file) !== undefined).map(({ from, file }) => lineOf(from, file)),
  );
  const against = new Set(known.againstOrder);
  const inOrder = imports.filter(({ from, file }) => !against.has(lineOf(from, file)));
  const againstOrder = known.againstOrder.filter((line) => {
    const those = imports.filter(({ from, file }) => lineOf(from, file) === line);
    const [{ from, file } = { from: '', file: '' }] = those;
    const makesCycle =
      those.length > 0 && pathBetween(graphOf(inOrder), folderOf(file) ?? '', folderOf(from) ?? '') !== undefined;
    if (!makesCycle) inOrder.push(...those);
    return makesCycle;
  });
  return { pastEntries: known.pastEntries.filter((line) => forbidden.has(line)), againstOrder };
}

/** Returns the problems, one line each; empty if there are none. */
export function structureProblems(imports: readonly Import[], known: KnownImports): string[] {
  const needed = neededImports(imports, known);
  const against = new Set(known.againstOrder);
  const cycle = shortestCycle(imports.filter(({ from, file }) => !against.has(lineOf(from, file))));
  return [
    ...(['pastEntries', 'againstOrder'] as const).flatMap((list) =>
      known[list]
        .filter((line) => !needed[list].includes(line))
        .map((line) => `scripts/knownImports.txt: ${list} no longer needs "${line}"`),
    ),
    ...(cycle.length > 0 ? ['Folders import each other in a cycle:'] : []),
    ...cycle.flatMap((edge) => edge.map(({ from, file }) => `  ${from} -> ${file}`)),
  ];
}

function printCounts(files: Readonly<Record<string, string>>, imports: readonly Import[]): void {
  const parameters = parametersOfType(files, 'Platform');
  const past = imports.filter(({ from, file }) => forbiddenImport(from, file) !== undefined);
  const shared = sharedTables(files);
  const long = longFunctions(files, 120);
  console.log(`parameters typed with Platform: ${parameters.length}`);
  const perFolder = Map.groupBy(parameters, (file) => folderOf(file) ?? file);
  for (const [folder, those] of [...perFolder].sort(([, a], [, b]) => b.length - a.length))
    console.log(`  ${String(those.length).padStart(4)} ${folder}`);
  console.log(`imports past entries: ${past.length}`);
  for (const { from, file } of past) console.log(`  ${from} -> ${file}`);
  console.log(`imports against the order of folders: ${readKnownImports().againstOrder.length} (folder to file)`);
  console.log(`tables queried by more than one folder: ${shared.length}`);
  for (const { table, folders } of shared) console.log(`  ${table}: ${folders.join(', ')}`);
  console.log(`functions over 120 lines: ${long.length}`);
  for (const { file, line, name, lines } of long) console.log(`  ${String(lines).padStart(4)} ${name} (${file}:${line})`);
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const read = (pattern: string): Record<string, string> =>
    Object.fromEntries(
      globSync(pattern, { cwd: root })
        .map((name) => name.replaceAll(path.sep, '/'))
        .sort()
        .map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
    );
  const server = read('server/**/*.ts');
  const imports = importsOf(server);
  const known = readKnownImports();
  if (process.argv.includes('--counts')) printCounts({ ...server, ...read('{src,scripts}/**/*.ts') }, imports);
  else if (process.argv.includes('--prune')) writeKnownImports(neededImports(imports, known));
  else {
    const problems = structureProblems(imports, known);
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length > 0 ? 1 : 0;
  }
}
