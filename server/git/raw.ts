import type { Answer } from '../http/exchange.ts';

/** The content of a file as it is. Never a type that a browser would run. */
export function rawAnswer(content: Buffer, name: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const isText = !content.subarray(0, 8000).includes(0);
  return {
    status: 200,
    type: isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    body: content,
    headers: {
      'Content-Disposition': `${isText ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...headers,
    },
  };
}
