import { RESPONSE_LIMIT, TransportFailure, type WireResponse, type WireRequest } from './transport.ts';

/** Sends with the global fetch of the extension host. It is looked up at each call because VS Code patches it for proxies and certificates. */
export async function sendByFetch(request: WireRequest, signal?: AbortSignal): Promise<WireResponse> {
  const response = await globalThis.fetch(request.url, {
    method: request.method,
    headers: request.headers,
    redirect: 'manual',
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, headers: new Map(response.headers), body: await readBody(response) };
}

async function readBody(response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: AsyncIterable<Uint8Array> = response.body;
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > RESPONSE_LIMIT) throw new TransportFailure('tooLarge', 'the response is too large');
  }
  return text + decoder.decode();
}
