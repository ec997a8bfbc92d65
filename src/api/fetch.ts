import { ANSWER_LIMIT, TransportFailure, type WireAnswer, type WireRequest } from './transport.ts';

/** Sends by the extension host's global fetch, looked up at each call: VS Code patches it for proxies and certificates. */
export async function sendByFetch(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer> {
  const answer = await globalThis.fetch(request.url, {
    method: request.method,
    headers: request.headers,
    redirect: 'manual',
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: answer.status, headers: new Map(answer.headers), body: await readBody(answer) };
}

async function readBody(answer: Response): Promise<string> {
  if (answer.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_LIMIT) throw new TransportFailure('tooLarge', 'the answer is larger than any page of the API');
  }
  return text + decoder.decode();
}
