import { tooManyParameters } from './failures.ts';

// What one body may hold besides its bytes. Counting is cheap, so it comes before parsing, which is not: a name of its own for each of
// 75,000 members, or half a million brackets, takes the parser longer than everything else that a request does.

/** Parameters of a query or form, parts of a multipart form, and members of one JSON object. */
export const MAX_PARAMETERS = 4096;
/** Bytes of the headers of one part of a multipart form; the same as Node reads of the headers of a response. */
const MAX_PART_HEADERS = 16_384;
/** Values of a JSON body, in all its lists and objects together. */
export const MAX_JSON_VALUES = 100_000;
/** Lists and objects of a JSON body within one another. */
export const MAX_JSON_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface JsonLimits {
  /** Lists and objects within one another. */
  readonly depth: number;
  /** Members of one object. */
  readonly members: number;
  /** Values of all lists and objects together. */
  readonly values: number;
}

/** Throws 400 for JSON that nests too deeply or holds too much. Whether it is JSON at all is not looked at. */
export function checkJsonLimits(json: Buffer): void {
  const exceeded = exceededLimit(json, { depth: MAX_JSON_DEPTH, members: MAX_PARAMETERS, values: MAX_JSON_VALUES });
  if (exceeded === 'depth') throw tooManyParameters(`JSON is read to a depth of ${MAX_JSON_DEPTH} levels.`);
  if (exceeded === 'members') throw tooManyParameters(`A JSON object may have at most ${MAX_PARAMETERS} members.`);
  if (exceeded === 'values') throw tooManyParameters(`A JSON body may hold at most ${MAX_JSON_VALUES} values.`);
}

/** Which limit a JSON text exceeds first; undefined when it keeps all of them. */
export function exceededLimit(json: Buffer, limits: JsonLimits): keyof JsonLimits | undefined {
  /** Members of the objects around the current place, from the outermost; 0 for a list. */
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

/** Where the string that begins at `start` ends; the end of the text for one that does not. */
function endOfString(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}

/** Throws 400 for a multipart form of too many parts, or of a part with too long headers. */
export function checkMultipartLimits(body: Buffer, contentType: string): void {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return;
  // One of them is the end.
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
