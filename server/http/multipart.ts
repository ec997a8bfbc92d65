import { checkMultipartLimits } from './bodyLimits.ts';
import { unreadable } from '../core/errors.ts';

/** Part of a multipart form. Its content is a view of the body, because a copy of a large file would take as much memory again. */
export interface Part {
  readonly name: string;
  /** Name of a file; undefined for a plain field. */
  readonly filename: string | undefined;
  readonly content: Buffer;
}

/**
 * Splits the body of a multipart form (RFC 7578) into its parts.
 *
 * @throws {Unreadable} If it does not follow its boundary, or has too many parts.
 */
export function partsOf(body: Buffer, contentType: string): Part[] {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw malformed();
  checkMultipartLimits(body, boundary);
  const separator = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // The separator of the first part may lack its line break.
  let at = body.indexOf(separator.subarray(2)) === 0 ? -2 : body.indexOf(separator);
  if (at === -1) throw malformed();
  for (;;) {
    const start = at + separator.length;
    const next = body.toString('latin1', start, start + 2);
    if (next === '--') return parts;
    const headersEnd = next === '\r\n' ? body.indexOf('\r\n\r\n', start) : -1;
    const end = headersEnd < 0 ? -1 : body.indexOf(separator, headersEnd + 4);
    if (end < 0) throw malformed();
    parts.push({ ...namesOf(body.toString('utf8', start, headersEnd + 2)), content: body.subarray(headersEnd + 4, end) });
    at = end;
  }
}

function malformed(): Error {
  return unreadable('the multipart body does not follow its boundary');
}

function boundaryOf(contentType: string): string | undefined {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/** Reads the names of a part from its headers. Names of files may be in the form of RFC 8187, which some clients send for other letters. */
function namesOf(headers: string): Pick<Part, 'name' | 'filename'> {
  const disposition = /\r\ncontent-disposition:[ \t]*form-data[ \t]*(;[^\r\n]*)\r\n/i.exec(headers)?.[1] ?? '';
  const name = parameterOf(disposition, 'name');
  if (name === undefined) throw malformed();
  const encoded = /;[ \t]*filename\*=utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  return { name, filename: (encoded === undefined ? undefined : decoded(encoded)) ?? parameterOf(disposition, 'filename') };
}

/** Returns a parameter of a header, in which browsers encode quotes and line breaks, and other clients escape quotes. */
function parameterOf(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;[ \\t]*${name}=(?:"((?:\\\\"|[^"])*)"|([^;\\s]+))`, 'i').exec(disposition);
  return (match?.[1] ?? match?.[2])
    ?.replaceAll('\\"', '"')
    .replaceAll(/%0D/gi, '\r')
    .replaceAll(/%0A/gi, '\n')
    .replaceAll('%22', '"');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
