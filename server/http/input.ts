import { parse as parseNested } from 'qs';
import { checkJsonLimits, MAX_PARAMETERS } from './bodyLimits.ts';
import { invalidJson, tooManyParameters } from './failures.ts';
import { unreadable, unsupportedContentType } from '../core/errors.ts';
import { partsOf } from './multipart.ts';
import type { RequestContext } from './requestContext.ts';

/** Raw parameters: strings from a query or form, any JSON value from a JSON body. */
export type RawParameters = Record<string, unknown>;

const BODY_LIMIT = 1_048_576;

/** A file of a multipart form. */
export class SentFile {
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
  constructor(name: string | undefined, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }
}

/** Parses strings, arrays `a[]=1`, hashes `h[k]=v` and arrays of hashes `v[0][k]=w` of a query string or form (docs/interface.md#requests). */
export function parseForm(text: string): RawParameters {
  const raw: RawParameters = Object.create(null);
  if (text === '') return raw;
  if (!/\[|%5b/i.test(text)) {
    const pairs = text.split('&', MAX_PARAMETERS + 1);
    if (pairs.length > MAX_PARAMETERS) throw tooManyParameters(`A form may have at most ${MAX_PARAMETERS} parameters.`);
    for (const pair of pairs) {
      if (pair === '') continue;
      const at = pair.indexOf('=');
      raw[decodeComponent(at < 0 ? pair : pair.slice(0, at))] = at < 0 ? null : decodeComponent(pair.slice(at + 1));
    }
    return raw;
  }
  try {
    const nested = parseNested(text, {
      depth: 5,
      strictDepth: true,
      arrayLimit: 1000,
      parameterLimit: MAX_PARAMETERS,
      throwOnLimitExceeded: true,
      strictNullHandling: true,
      decoder: (part) => decodeComponent(part),
    });
    return Object.assign(raw, nested);
  } catch (error) {
    throw error instanceof RangeError ? unreadable(`the parameters are nested or repeated too often: ${error.message}`) : error;
  }
}

function decodeComponent(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unreadable('a parameter is not validly percent-encoded');
  }
}

/** Members of a request that contain its parameters. */
type SentBody = Pick<RequestContext, 'method' | 'query' | 'headers' | 'body'>;

/**
 * Reads the query and body; the caller adds path parameters. The body takes precedence, except in reads, where it only replaces a query that
 * would be too long (docs/interface.md#requests). Files are included if `takesFiles` is true.
 */
export async function readRawParameters(
  context: SentBody,
  limit: number = BODY_LIMIT,
  takesFiles = false,
): Promise<RawParameters> {
  const raw = parseForm(context.query);
  if (context.method === 'GET' || context.method === 'HEAD') {
    return readsBodyOfRead(context) ? Object.assign(await readBodyParameters(context, limit, takesFiles), raw) : raw;
  }
  return Object.assign(raw, await readBodyParameters(context, limit, takesFiles));
}

/** Returns true if a read has a body with parameters. Bodies of other types are ignored, because some clients send them with every request. */
export function readsBodyOfRead({ headers }: Pick<SentBody, 'headers'>): boolean {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return false;
  const mediaType = mediaTypeOf({ headers });
  return isJson(mediaType) || mediaType === FORM || mediaType === MULTIPART_FORM;
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART_FORM = 'multipart/form-data';

function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

function mediaTypeOf({ headers }: Pick<SentBody, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Reads the parameters of a JSON, form or multipart body. An empty body has none. */
export async function readBodyParameters(
  context: SentBody,
  limit: number = BODY_LIMIT,
  takesFiles = false,
): Promise<RawParameters> {
  const body = await context.body(limit);
  if (body.length === 0) return {};
  const contentType = context.headers['content-type'] ?? '';
  const mediaType = mediaTypeOf(context);
  const encoding = context.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw unsupportedContentType(`${mediaType}; ${encoding}`);
  if (isJson(mediaType)) return parseJsonObject(body);
  if (mediaType === FORM) return parseForm(body.toString('utf8'));
  if (mediaType === MULTIPART_FORM) return parseMultipart(body, contentType, takesFiles);
  throw unsupportedContentType(mediaType);
}

function parseJsonObject(body: Buffer): RawParameters {
  checkJsonLimits(body);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message : 'not JSON');
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Reads the fields of a multipart form. */
function parseMultipart(body: Buffer, contentType: string, takesFiles: boolean): RawParameters {
  const texts: Record<string, unknown> = Object.create(null);
  const nested: string[] = [];
  const files: Record<string, SentFile> = Object.create(null);
  for (const { name, filename, content } of partsOf(body, contentType)) {
    if (filename !== undefined) {
      if (takesFiles) files[name] = new SentFile(filename, content);
      continue;
    }
    const value = content.toString('utf8');
    if (name.includes('[')) nested.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    else texts[name] = value;
  }
  return Object.assign(parseForm(nested.join('&')), texts, files);
}
