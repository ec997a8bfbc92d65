import { tooManyParameters } from './failures.ts';

// Limits of one body besides its size in bytes. They are checked before parsing, because counting is cheap and parsing is not: 75,000
// members with distinct names, or half a million brackets, take the parser longer than all other work of a request.

/** Maximum number of parameters of a query or form, parts of a multipart form, and members of one JSON object. */
export const MAX_PARAMETERS = 4096;
/** Maximum size of the headers of one part of a multipart form, in bytes; the same limit as Node's for response headers. */
const MAX_PART_HEADERS = 16_384;
/** Maximum number of values in all lists and objects of a JSON body. */
export const MAX_JSON_VALUES = 100_000;
/** Maximum nesting depth of a JSON body. */
export const MAX_JSON_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface JsonLimits {
  /** Maximum nesting depth of lists and objects. */
  readonly depth: number;
  /** Maximum number of members of one object. */
  readonly members: number;
  /** Maximum number of values in all lists and objects. */
  readonly values: number;
}

/**
 * Checks the limits of a JSON body without checking that it is valid JSON.
 * @throws {WireFailure} 400 if a limit is exceeded.
 */
export function checkJsonLimits(json: Buffer): void {
  const exceeded = exceededLimit(json, { depth: MAX_JSON_DEPTH, members: MAX_PARAMETERS, values: MAX_JSON_VALUES });
  if (exceeded === 'depth') throw tooManyParameters(`JSON is read to a depth of ${MAX_JSON_DEPTH} levels.`);
  if (exceeded === 'members') throw tooManyParameters(`A JSON object may have at most ${MAX_PARAMETERS} members.`);
  if (exceeded === 'values') throw tooManyParameters(`A JSON body may hold at most ${MAX_JSON_VALUES} values.`);
}

/** Returns the first limit that a JSON text exceeds, or undefined. */
export function exceededLimit(json: Buffer, limits: JsonLimits): keyof JsonLimits | undefined {
  /** Member counts of the enclosing objects, outermost first; 0 for a list. */
  const members: number[] = [];
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    switch (byte) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        members.push(0);
        values += 1;
        if (members.length > limits.depth) return 'depth';
        break;
      case 0x5d: // ]
      case 0x7d: // }
        members.pop();
        break;
      case COLON: {
        const count = (members.pop() ?? 0) + 1;
        members.push(count);
        if (count > limits.members) return 'members';
        break;
      }
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > limits.values) return 'values';
  }
  return undefined;
}

/** Returns the index of the closing quote of the string that begins at `start`, or the length of the text if there is none. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}

/**
 * Checks the limits of a multipart form.
 * @throws {WireFailure} 400 if there are too many parts, or the headers of a part are too long.
 */
export function checkMultipartLimits(body: Buffer, boundary: string): void {
  // One delimiter marks the end of the form.
  let left = MAX_PARAMETERS + 1;
  const delimiter = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    left -= 1;
    if (left < 0) throw tooManyParameters(`A form may have at most ${MAX_PARAMETERS} parameters.`);
    const headers = at + delimiter.length;
    const isPart = body.toString('latin1', headers, headers + 2) === '\r\n';
    if (isPart && headers + MAX_PART_HEADERS < body.length) {
      const end = body.subarray(headers, headers + MAX_PART_HEADERS).indexOf('\r\n\r\n');
      if (end < 0) throw tooManyParameters(`The headers of a part of a form may have at most ${MAX_PART_HEADERS} bytes.`);
    }
  }
}
