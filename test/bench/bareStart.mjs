import { createServer } from 'node:http';

// The least a Node process can do to respond: the base of the cold start ratio. Plain JavaScript, so that type stripping does not count.
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"id":1}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` })}\n`);
});
