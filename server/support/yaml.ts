// This is the only file that imports the YAML library. The build puts it into a separate bundle, which is loaded when a seed file or a policy
// file is read.
import { type CST, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type ParsedNode, Parser, stringify } from 'yaml';

/** A value of a file with its first line (from 1) and its members. */
export interface Placed {
  readonly line: number;
  readonly value: unknown;
  /** Undefined if the value is neither a list nor a map. */
  readonly members: ReadonlyMap<string | number, Placed> | undefined;
}

export type Reading =
  | { readonly root: Placed }
  | { readonly problems: readonly { readonly line: number; readonly text: string }[] };

/** Maximum number of values of a file. Values of aliases count each time. */
const MAX_VALUES = 300_000;
const MAX_DEPTH = 40;
/** Maximum length of all texts of a file, if that is more than the length of the file. Texts of aliases count each time. */
const MAX_TEXT = 16 * 1024 * 1024;
/** Maximum number of reported parser errors. More of them add no information. */
const MAX_PROBLEMS = 50;

const TOO_DEEP = `values are nested more than ${MAX_DEPTH} levels deep`;

/**
 * Returns the offset of a value that is nested too deeply, or undefined if there is none. The library composes nested values recursively and
 * reports an exhausted stack in various ways, so the depth is checked on its syntax tree, which it builds without recursion.
 */
function findTooDeep(text: string): number | undefined {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = [];
  for (const token of new Parser().parse(text)) {
    pending.push({ token, depth: 0 });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.depth > MAX_DEPTH) return next.token.offset;
      for (const nested of nestedTokens(next.token)) pending.push({ token: nested, depth: next.depth + 1 });
    }
  }
  return undefined;
}

function nestedTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((nested) => nested !== undefined && nested !== null));
}

interface Problem {
  readonly line: number;
  readonly text: string;
}

/** Returns a value as a YAML document, which begins with `---`. */
export function writeYaml(value: unknown): string {
  return `---\n${stringify(value, { aliasDuplicateObjects: false })}`;
}

/** Parses YAML or JSON into plain values with line numbers. All errors are returned together. Accepted values contain no cycles. */
export function readYaml(text: string, maxValues = MAX_VALUES): Reading {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(lines.linePos(offset).line, 1);
  const tooDeep = findTooDeep(text);
  if (tooDeep !== undefined) return { problems: [{ line: text.slice(0, tooDeep).split('\n').length, text: TOO_DEEP }] };
  // The library's own check for repeated keys compares each key with all others.
  const { contents, errors, warnings } = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    schema: 'core',
    logLevel: 'error',
  });
  const validationErrors = [...errors, ...warnings].slice(0, MAX_PROBLEMS);
  if (validationErrors.length > 0)
    return { problems: validationErrors.map(({ pos, message }) => ({ line: lineAt(pos[0]), text: message })) };
  return contents === null
    ? { problems: [{ line: 1, text: 'the file is empty' }] }
    : readValues(contents, lineAt, { values: maxValues, text: Math.max(MAX_TEXT, text.length) });
}

function readValues(
  contents: ParsedNode,
  lineAt: (offset: number) => number,
  most: { readonly values: number; readonly text: number },
): Reading {
  const problems: Problem[] = [];
  const anchors = new Map<string, ParsedNode>();
  const parents = new Set<unknown>();
  let count = 0;
  let length = 0;

  /** Counts a value and its text. Returns false if there are too many of them. */
  const mayRead = (line: number, text: unknown): boolean => {
    if (count >= most.values || length > most.text) return false;
    count += 1;
    length += typeof text === 'string' ? text.length : 0;
    if (count < most.values && length <= most.text) return true;
    const what = count < most.values ? `${most.text} characters` : `${most.values} values`;
    problems.push({ line, text: `the file has more than ${what}` });
    return false;
  };

  const addProblem = (node: { readonly range?: readonly number[] | null }, text: string): Placed => {
    const line = lineAt(node.range?.[0] ?? 0);
    problems.push({ line, text });
    return { line, value: null, members: undefined };
  };

  const read = (node: ParsedNode | null, line: number): Placed => {
    if (!mayRead(line, isScalar(node) ? node.value : undefined) || node === null)
      return { line, value: null, members: undefined };
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) return addProblem(node, `*${node.source} has no anchor &${node.source} before it`);
      if (parents.has(target)) return addProblem(node, `*${node.source} refers to a value that contains it`);
      return read(target, line);
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (parents.size >= MAX_DEPTH) return addProblem(node, TOO_DEEP);
    if (isScalar(node)) {
      const { value } = node;
      const isPlain = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return isPlain ? { line, value, members: undefined } : addProblem(node, 'must be a string, a number, true, false or null');
    }
    parents.add(node);
    const placed = isSeq(node)
      ? readList(node.items, line)
      : isMap(node)
        ? readMap(node, line)
        : addProblem(node, 'is not supported');
    parents.delete(node);
    return placed;
  };

  const readList = (items: readonly ParsedNode[], line: number): Placed => {
    const members = new Map<string | number, Placed>();
    for (const [index, item] of items.entries()) members.set(index, read(item, lineAt(item.range[0])));
    return { line, value: [...members.values()].map(({ value }) => value), members };
  };

  const readMap = (node: { readonly items: readonly { key: ParsedNode; value: ParsedNode | null }[] }, line: number): Placed => {
    const members = new Map<string | number, Placed>();
    const value: Record<string, unknown> = {};
    for (const { key, value: item } of node.items) {
      const at = lineAt(key.range[0]);
      const name = isScalar(key) ? (typeof key.value === 'string' ? key.value : (key.source ?? '')) : undefined;
      const before = name === undefined ? undefined : members.get(name);
      if (name === undefined) addProblem(key, 'a field name is required before the colon');
      else if (name === '<<' || name === '__proto__') addProblem(key, `"${name}" is not allowed as a field name`);
      else if (before !== undefined) addProblem(key, `"${name}" is defined twice; first on line ${before.line}`);
      else {
        length += name.length;
        const placed = read(item, at);
        members.set(name, placed);
        value[name] = placed.value;
      }
    }
    return { line, value, members };
  };

  const root = read(contents, lineAt(contents.range[0]));
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { root };
}
