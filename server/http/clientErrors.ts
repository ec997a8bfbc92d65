import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { queryTooLong } from './failures.ts';

/** Time for which the rest of a refused request is read and discarded, in milliseconds. */
const DISCARD_TIME = 5000;

/** Responses of Node to requests that it cannot parse, by the code of the error. */
const usual: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Error of Node's parser. `rawPacket` is what arrived last, of which `bytesParsed` bytes were read before the error. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Connection of a client. Node keeps the current response in `_httpMessage`, and its own handler of such errors reads it too. */
interface Connection extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Responds to requests that Node cannot parse like Node, except that a request line beyond `maxHeaderSize` is 414 instead of 431
 * (docs/interface.md#requests). `limit` is the maximum length of a request target.
 */
export function respondToClientErrors(server: Server, limit: number): void {
  server.on('clientError', (error: ParserError, socket: Connection) => {
    // The parser reports each further piece of a request that it has given up.
    if (!socket.writable) return;
    if (socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const isTooLong = error.code === 'HPE_HEADER_OVERFLOW' && hasLongTarget(error, limit);
    const { status, body } = queryTooLong(limit);
    socket.end(
      isTooLong
        ? response(`${status} URI Too Long`, JSON.stringify(body))
        : response(usual[error.code ?? ''] ?? '400 Bad Request', ''),
    );
    // A client that still sends would get a reset in place of the response if the connection were closed at once.
    const discarding = setTimeout(() => socket.destroy(), DISCARD_TIME).unref();
    socket.once('close', () => clearTimeout(discarding));
  });
}

function response(status: string, body: string): string {
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status}\r\n${type}Connection: close\r\n\r\n${body}`;
}

/**
 * Returns true if the head of a request is too long because of its target. Of a long head only the last piece is known. It begins within
 * a header if its first line has a space that belongs to no request line.
 */
function hasLongTarget({ rawPacket, bytesParsed = 0 }: ParserError, limit: number): boolean {
  const text = rawPacket?.toString('latin1') ?? '';
  const end = text.indexOf('\r\n');
  const line = end === -1 ? text : text.slice(0, end);
  const target = line.replace(/^[A-Z]+ /, '').replace(/ HTTP\/1\.[01]$/, '');
  const isTarget = !target.includes(' ') && (end === -1 || / HTTP\/1\.[01]$/.test(line));
  return isTarget && (bytesParsed <= line.length || target.length > limit);
}
