// Checks that the graph of the folders of server/ has no cycle, where a feature and a folder of infrastructure count as one node each and
// imports of types count too, that entries of features offer few names, and that functions of server/ and src/ are short. `--counts` prints
// measures of the structure.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { folderOf } from './serverFolders.ts';
import { exportedNames, longFunctions, parametersOfType, queriedTables } from './structureCounts.ts';

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

/** Returns the problems of imports, one line each; empty if there are none. */
export function importProblems(imports: readonly Import[]): string[] {
  const cycle = shortestCycle(imports);
  return [
    ...(cycle.length > 0 ? ['Folders import each other in a cycle:'] : []),
    ...cycle.flatMap((edge) => edge.map(({ from, file }) => `  ${from} -> ${file}`)),
  ];
}

/** Most names that the entry of a feature exports. With more, the folder is several features, or others do its work. */
const MOST_NAMES = 40;

/** Returns the number of names that the entry of each feature exports, most first. */
function namesOfEntries(files: Readonly<Record<string, string>>): readonly { readonly file: string; readonly names: number }[] {
  return Object.entries(files)
    .filter(([file]) => /^server\/features\/(\w+)\/\1\.ts$/.test(file))
    .map(([file, source]) => ({ file, names: exportedNames(file, source).length }))
    .sort((a, b) => b.names - a.names);
}

/** Returns the problems of entries that export too many names, one line each; empty if there are none. */
export function entryProblems(files: Readonly<Record<string, string>>): string[] {
  return namesOfEntries(files)
    .filter(({ names }) => names > MOST_NAMES)
    .map(
      ({ file, names }) => `${file} exports ${names} names, more than ${MOST_NAMES}: split the feature, or offer fewer functions`,
    );
}

/** Most lines of a function of `server/` or `src/`. */
const LONGEST_FUNCTION = 120;

/** Functions that may be longer, as `FILE FUNCTION`, each with the reason. Each creates an object of short methods. */
const longOnPurpose: Readonly<Record<string, string>> = {
  'server/http/bodyBudget.ts createBodyBudget': 'all methods change the same counters and queue',
  'server/repositories/program.ts createGitProgram': 'all methods share the running commands and the slots for them',
  'server/store/open.ts storeOver': 'all methods share the connection, its provisional transaction and what is known of damage',
  'src/api/client.ts createClient': 'all methods share the settings and the remembered redirects',
};

/** Returns the problems of long functions, one line each; empty if there are none. `allowed` names functions as `FILE FUNCTION`. */
export function lengthProblems(files: Readonly<Record<string, string>>, allowed: readonly string[]): string[] {
  const long = longFunctions(files, LONGEST_FUNCTION).map((one) => ({ ...one, id: `${one.file} ${one.name}` }));
  return [
    ...long
      .filter(({ id }) => !allowed.includes(id))
      .map(({ file, line, name, lines }) => `${file}:${line}: ${name} has ${lines} lines, more than ${LONGEST_FUNCTION}`),
    ...allowed
      .filter((id) => !long.some((one) => one.id === id))
      .map((id) => `scripts/check-structure.ts: longOnPurpose no longer needs "${id}"`),
  ];
}

/** Returns the tables that several folders query, one line each; empty if there are none. */
export function tableProblems(files: Readonly<Record<string, string>>): string[] {
  return queriedTables(files).flatMap(({ table, folders }) =>
    folders.length < 2
      ? []
      : [`the table ${table} is queried by ${folders.join(', ')}: all but its owner read the view ${table}_view`],
  );
}

function printCounts(server: Readonly<Record<string, string>>, src: Readonly<Record<string, string>>): void {
  const parameters = parametersOfType(server, 'Platform');
  console.log(`parameters typed with Platform: ${parameters.length}`);
  const perFolder = Map.groupBy(parameters, (file) => folderOf(file) ?? file);
  for (const [folder, those] of [...perFolder].sort(([, a], [, b]) => b.length - a.length))
    console.log(`  ${String(those.length).padStart(4)} ${folder}`);
  const tables = queriedTables(server).map(({ table, folders }) => {
    const [features = [], others = []] = [true, false].map((isFeature) =>
      folders.filter((folder) => folder.startsWith('server/features/') === isFeature),
    );
    return { table, features, others };
  });
  const shared = tables.filter(({ features }) => features.length > 1);
  console.log(`tables queried by more than one feature: ${shared.length}`);
  for (const { table, features } of shared) console.log(`  ${table}: ${features.join(', ')}`);
  const outside = tables.filter(({ others }) => others.length > 0);
  console.log(`tables queried outside of features: ${outside.length}`);
  for (const { table, others } of outside) console.log(`  ${table}: ${others.join(', ')}`);
  const entries = namesOfEntries(server);
  console.log(`most names of an entry: ${entries[0]?.names ?? 0}`);
  for (const { file, names } of entries.slice(0, 10)) console.log(`  ${String(names).padStart(4)} ${file}`);
  const long = longFunctions({ ...server, ...src }, LONGEST_FUNCTION);
  console.log(`functions over ${LONGEST_FUNCTION} lines: ${long.length}`);
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
  const src = read('src/**/*.ts');
  if (process.argv.includes('--counts')) printCounts(server, src);
  else {
    const problems = [
      ...importProblems(importsOf(server)),
      ...entryProblems(server),
      ...lengthProblems({ ...server, ...src }, Object.keys(longOnPurpose)),
      ...tableProblems(server),
    ];
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length > 0 ? 1 : 0;
  }
}
