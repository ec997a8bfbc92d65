import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testEnvironment } from '../support/environment.ts';

// node:http that passes each request to `git http-backend` (CGI, RFC 3875). Argument: folder of the repositories.
const [root = ''] = process.argv.slice(2);
const environment = testEnvironment(['git']);

const server = createServer((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const { 'content-type': type = '', 'content-encoding': encoding = '', 'git-protocol': protocol = '' } = request.headers;
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: type,
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: encoding,
      GIT_PROTOCOL: typeof protocol === 'string' ? protocol : '',
      REMOTE_USER: 'bench',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    child.stdout.off('data', readHead);
    const fields = head
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': ', 2));
    const headers = Object.fromEntries(fields.map(([name = '', value = '']) => [name, value]));
    response.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', readHead);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${port}` }));
});
