import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

// Bare node:http that decompresses and parses what SDKs send, and keeps nothing of it. Prints its origin.
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const lines = gunzipSync(Buffer.concat(chunks)).toString('utf8').split('\n');
    const event = JSON.parse(lines[2] ?? '') as { readonly platform: string };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ id: event.platform }));
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
