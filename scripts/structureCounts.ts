// Measures of the structure of the code, which scripts/check-structure.ts limits or prints.
import { parseSync } from 'oxc-parser';
import { folderOf } from './serverFolders.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}

/** Calls `visit` with every node below `value` and the node around it. */
function walk(value: unknown, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit, parent);
  if (!isNode(value)) return;
  visit(value, parent);
  for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit, value);
}

/** Returns the file of each parameter of a function, or of a type of functions, whose type is `name`, alone or in an intersection. */
export function parametersOfType(files: Readonly<Record<string, string>>, name: string): string[] {
  const found: string[] = [];
  for (const [file, source] of Object.entries(files)) {
    if (!source.includes(name)) continue;
    walk(parseSync(file, source).program, (node) => {
      if (Array.isArray(node.params))
        found.push(...node.params.filter((parameter) => namesType(typeOfParameter(parameter), name)).map(() => file));
    });
  }
  return found;
}

function typeOfParameter(parameter: unknown): unknown {
  if (!isNode(parameter)) return undefined;
  const { typeAnnotation } = isNode(parameter.left) ? parameter.left : parameter;
  return isNode(typeAnnotation) ? typeAnnotation.typeAnnotation : undefined;
}

function namesType(type: unknown, name: string): boolean {
  if (!isNode(type)) return false;
  if (Array.isArray(type.types)) return type.types.some((one) => namesType(one, name));
  return type.type === 'TSTypeReference' && isNode(type.typeName) && type.typeName.name === name;
}

export interface LongFunction {
  readonly file: string;
  /** Line of its beginning, from 1. */
  readonly line: number;
  readonly name: string;
  readonly lines: number;
}

/** Returns the functions of more than `limit` lines, longest first. */
export function longFunctions(files: Readonly<Record<string, string>>, limit: number): LongFunction[] {
  const found: LongFunction[] = [];
  for (const [file, source] of Object.entries(files)) {
    if (source.split('\n').length <= limit) continue;
    walk(parseSync(file, source).program, (node, parent) => {
      if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
      const lines = source.slice(node.start, node.end).split('\n').length;
      const line = source.slice(0, node.start).split('\n').length;
      if (lines > limit) found.push({ file, line, name: nameOf(node) ?? nameOf(parent) ?? 'anonymous function', lines });
    });
  }
  return found.sort((a, b) => b.lines - a.lines);
}

/** Returns the name of a function, or of the variable, member or argument that holds it. */
function nameOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  const { id, key, callee } = node;
  if (isNode(callee)) {
    const called = isNode(callee.property) ? callee.property.name : callee.name;
    return `argument of ${String(called)}`;
  }
  const holder = isNode(id) ? id : key;
  return isNode(holder) && typeof holder.name === 'string' ? holder.name : undefined;
}

export interface QueriedTable {
  readonly table: string;
  /** Folders of `server/` whose SQL names the table, apart from `server/store`, which creates it. */
  readonly folders: readonly string[];
}

/** Returns the tables that `server/store` creates, by name. */
export function queriedTables(files: Readonly<Record<string, string>>): QueriedTable[] {
  const created = Object.entries(files)
    .filter(([file]) => file.startsWith('server/store/'))
    .flatMap(([, source]) => [...source.matchAll(/\bCREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, table = '']) => table));
  const folders = new Map<string, Set<string>>();
  for (const [file, source] of Object.entries(files)) {
    const folder = folderOf(file);
    if (folder === undefined || folder === 'server/store') continue;
    for (const [, table = ''] of source.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|DELETE FROM)\s+(\w+)/g))
      folders.set(table, (folders.get(table) ?? new Set()).add(folder));
  }
  return [...new Set(created)].sort().map((table) => ({ table, folders: [...(folders.get(table) ?? [])] }));
}

/** Returns the names that a file exports, its own and those that it passes on. */
export function exportedNames(file: string, source: string): string[] {
  return parseSync(file, source).program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    const passedOn = node.specifiers.map(({ exported }) => ('name' in exported ? exported.name : exported.value));
    const declared = node.declaration?.type === 'VariableDeclaration' ? node.declaration.declarations : [node.declaration];
    return [...passedOn, ...declared.flatMap((one) => (one === null ? [] : [nameOf({ ...one }) ?? '']))];
  });
}
