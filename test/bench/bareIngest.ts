import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';

// A bare node:http server that decompresses and parses what SDKs send. Without an argument it stores nothing. With a database file as
// argument it stores the bodies as received: all bodies of one turn of the event loop in one transaction, flushed to disk before the
// responses. Prints its origin.
const [, , file] = process.argv;
const store = file === undefined ? (_: Buffer, response: () => void) => response() : writer(file);
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const lines = gunzipSync(body).toString('utf8').split('\n');
    const event = JSON.parse(lines[2] ?? '') as { readonly platform: string };
    store(body, () => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ id: event.platform }));
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});

function writer(name: string): (body: Buffer, response: () => void) => void {
  const database = new Database(name);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 4000']) database.pragma(pragma);
  database.exec('CREATE TABLE raw_bodies (id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO raw_bodies (received_at, bytes) VALUES (?, ?)');
  const insertAll = database.transaction((bodies: readonly Buffer[]) => {
    for (const body of bodies) insert.run(Date.now(), body);
  });
  let waiting: { readonly body: Buffer; readonly response: () => void }[] = [];
  const commit = (): void => {
    const sharing = waiting;
    waiting = [];
    insertAll.immediate(sharing.map(({ body }) => body));
    for (const { response } of sharing) response();
  };
  return (body, response) => {
    waiting.push({ body, response });
    if (waiting.length === 1) setImmediate(commit);
  };
}
