import type { HttpResponse } from './requestContext.ts';

/** Image types that pages may show, by signature. None of them can contain scripts. */
const images = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
] as const;

/** Returns true if content is text: no binary data in the part that a page would show first. */
export function isText(content: Buffer): boolean {
  return !content.subarray(0, 8000).includes(0);
}

/** Responds with the raw content of a file, never with a type that a browser would execute. */
export function rawResponse(content: Buffer, name: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return respond(content, name, isText(content) ? 'text/plain; charset=utf-8' : undefined, headers);
}

/** Responds with the raw content of a file, for pages, which may show images. */
export function rawFile(content: Buffer, name: string): HttpResponse {
  return respond(content, name, imageType(content) ?? (isText(content) ? 'text/plain; charset=utf-8' : undefined), noSniff);
}

/** Responds with an uploaded file: an image that pages may show, or a download. */
export function attachedFile(content: Buffer, name: string): HttpResponse {
  return respond(content, name, imageType(content), noSniff);
}

const noSniff = { 'X-Content-Type-Options': 'nosniff' };

function imageType(content: Buffer): string | undefined {
  const begin = content.toString('hex', 0, 8);
  return images.find(([, signature]) => begin.startsWith(signature))?.[0];
}

/** Content without a type is sent as a download. */
function respond(
  content: Buffer,
  name: string,
  type: string | undefined,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const fileName = encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27');
  return {
    status: 200,
    type: type ?? 'application/octet-stream',
    body: content,
    headers: {
      'Content-Disposition': `${type === undefined ? 'attachment' : 'inline'}; filename*=UTF-8''${fileName}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...headers,
    },
  };
}
