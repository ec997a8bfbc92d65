// A fake server whose behavior at start depends on the name of its data folder, so that every branch of the handshake can be tested without
// a real server.
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';

const argv = process.argv.slice(2);
const option = (name) => argv[argv.indexOf(name) + 1];
const [behaviour, argument] = path.basename(option('--data')).split('-');
const say = (line) => process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);

createInterface({ input: process.stdin }).once('line', (line) => {
  process.stderr.write(`${JSON.stringify({ argv, env: process.env, input: JSON.parse(line), pid: process.pid })}\n`);
  behaviours[behaviour](JSON.parse(line).adminToken);
});

const behaviours = {
  listening: (token) => serve(token, { endsWithInput: true }),
  // Ignores the stop request, the end of its input and SIGTERM.
  stubborn: (token) => {
    process.on('SIGTERM', () => process.stderr.write('SIGTERM\n'));
    serve(token, { isDeaf: true });
  },
  // Exits only when its input ends.
  deaf: (token) => serve(token, { isDeaf: true, endsWithInput: true }),
  // Its previous port is taken.
  taken: (token) => {
    if (option('--port') === '0') return serve(token, { endsWithInput: true });
    say({ event: 'fatal', code: 'port_taken', message: 'Port 4000 is taken.', hint: 'Choose another.' });
    process.exit(1);
  },
  busy: () => {
    say({ event: 'busy', origin: `http://127.0.0.1:${argument}`, instanceId: 'fake' });
    process.exit(0);
  },
  fatal: () => {
    say({ event: 'fatal', code: argument ?? 'newer_schema', message: 'The data is from a newer version.', hint: 'Update.' });
    process.exit(1);
  },
  // Prints nothing and keeps running.
  silent: () => setInterval(() => undefined, 60_000),
  // Reports progress for longer than the silence limit.
  busily: (token) => {
    let rounds = 0;
    const timer = setInterval(() => {
      process.stderr.write(`round ${(rounds += 1)}\n`);
      if (rounds < 14) return;
      clearInterval(timer);
      serve(token, { endsWithInput: true });
    }, 200);
  },
  garbage: () => say('Hello, I am another program'),
  crash: () => {
    for (let line = 1; line <= 60; line += 1) process.stderr.write(`line ${line}\n`);
    process.exit(3);
  },
};

function serve(token, { isDeaf = false, endsWithInput = false }) {
  const server = http.createServer((request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${token}`;
    response.writeHead(isAllowed ? 202 : 401, { 'content-type': 'application/json' }).end('{}');
    if (request.url === '/_local/shutdown' && isAllowed && !isDeaf) process.exit(0);
    if (request.url === '/crash') process.kill(process.pid, 'SIGKILL');
  });
  server.listen(0, '127.0.0.1', () => {
    const origin = `http://127.0.0.1:${server.address().port}`;
    say({ event: 'listening', origin, pid: process.pid, instanceId: 'fake', version: '0.0.0' });
    say('a line that nobody should read');
  });
  process.stdin.on('end', () => {
    if (endsWithInput) process.exit(0);
  });
  process.stdin.resume();
}
