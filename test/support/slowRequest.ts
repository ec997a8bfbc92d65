import { once } from 'node:events';
import { request } from 'node:http';

/** Begins a request that runs until its body is complete. Resolves when the server handles it, to how it is completed. */
export async function slowRequest(
  { origin }: { readonly origin: string },
  target: string,
  body: object | Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<() => Promise<number>> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const sent = request(`${origin}${target}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers, 'Content-Length': bytes.length, Expect: '100-continue' },
  });
  const response = once(sent, 'response') as Promise<[{ readonly statusCode: number; resume(): void }]>;
  response.catch(() => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  return async () => {
    sent.end(bytes);
    const [message] = await response;
    message.resume();
    return message.statusCode;
  };
}
