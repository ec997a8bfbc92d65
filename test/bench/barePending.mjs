import { createServer } from 'node:http';

// Responds `authorization_pending` to every device poll. Prints its origin.
const body = JSON.stringify({ error: 'authorization_pending' });
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(400, { 'Content-Type': 'application/json' }).end(body));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` })));
