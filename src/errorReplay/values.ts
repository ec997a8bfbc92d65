import type { NamedValue } from '../contract/errorDetail.ts';
import { isExactNumber, parseExactly } from '../contract/exactJson.ts';
import { isJsonObject } from '../contract/json.ts';

/** Value of a captured variable, as the debugger shows it. */
export interface Value {
  readonly name: string;
  readonly text: string;
  readonly type: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
  /** Members of an object or array; empty for other values. */
  readonly members: readonly Value[];
}

/** Maximum depth to which values are expanded. Events may nest deeper than the stack of this program allows. */
const MAX_DEPTH = 30;
/** Maximum number of members that the text of an object or array contains, and their maximum length. */
const MAX_PREVIEW = 8;
const MAX_MEMBER_LENGTH = 40;

/** Reads a value of an event. A text is shown as it is, also if it could be read as a number or as JSON. */
export function valueOf({ name, value, kind }: NamedValue): Value {
  const text: Value = { name, text: value, type: 'string', members: [] };
  if (kind === 'text') return text;
  try {
    return readValue(name, parseExactly(value), 0);
  } catch {
    return text;
  }
}

/**
 * Finds the value of an expression such as `order.lines[0].price` or `headers["accept"]`; undefined if it is not of this form or no such
 * value was captured.
 */
export function evaluate(expression: string, variables: readonly Value[]): Value | undefined {
  const path = pathOf(expression.trim());
  const [first, ...rest] = path ?? [];
  let value = variables.find(({ name }) => name === first);
  for (const member of rest) value = value?.members.find(({ name }) => name === member);
  return value;
}

function pathOf(expression: string): readonly string[] | undefined {
  const [start] = /^[$@]?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(expression) ?? [];
  if (start === undefined) return undefined;
  const path = [start];
  const part = /(?:\.|->|\?\.)([\p{L}_$][\p{L}\p{N}_$]*)|\[(?:(\d+)|"([^"\\]*)"|'([^'\\]*)')\]/uy;
  part.lastIndex = start.length;
  while (part.lastIndex < expression.length) {
    const found = part.exec(expression);
    if (found === null) return undefined;
    path.push(found.slice(1).find((one) => one !== undefined) ?? '');
  }
  return path;
}

function readValue(name: string, value: unknown, depth: number): Value {
  if (value === null) return { name, text: 'null', type: 'null', members: [] };
  if (typeof value === 'number') return { name, text: String(value), type: 'number', members: [] };
  if (isExactNumber(value)) return { name, text: value.rawJSON, type: 'number', members: [] };
  if (typeof value === 'boolean') return { name, text: String(value), type: 'boolean', members: [] };
  if (typeof value === 'string') return { name, text: value, type: 'string', members: [] };
  const text = previewOf(value);
  if (depth === MAX_DEPTH) return { name, text, type: 'string', members: [] };
  if (Array.isArray(value))
    return { name, text, type: 'array', members: value.map((member, at) => readValue(String(at), member, depth + 1)) };
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return { name, text, type: 'object', members: members.map(([key, member]) => readValue(key, member, depth + 1)) };
}

/** Returns the first members of an object or array on one line. Members of members are left out. */
function previewOf(value: unknown): string {
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((member: unknown) => shortText(member))
    : Object.entries(isJsonObject(value) ? value : {}).map(([key, member]) => `${key}: ${shortText(member)}`);
  const shown = members.slice(0, MAX_PREVIEW);
  const text = [...shown, ...(members.length > MAX_PREVIEW ? ['…'] : [])].join(', ');
  return isList ? `[${text}]` : `{${text}}`;
}

function shortText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (isJsonObject(value)) return '{…}';
  const text = JSON.stringify(value);
  return text.length <= MAX_MEMBER_LENGTH ? text : `${text.slice(0, MAX_MEMBER_LENGTH)}…`;
}
