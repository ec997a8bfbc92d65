import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least a Node process can do to answer: the base of the cold start ratio.
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"id":1}');
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
