import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deserialize } from 'node:v8';
import Database from 'better-sqlite3';
import { preparedStatements } from '../../server/store/statements.ts';
import type { RecordedReads } from './reading.ts';

// A bare node:http server that sends the same responses as the Signalbox server, and does nothing else: it hashes the token, runs the
// recorded statements with their parameters, serializes the same value to JSON, and computes the entity tag.
const [recordingFile = '', databaseFile] = process.argv.slice(2);
const reads = deserialize(readFileSync(recordingFile)) as RecordedReads;
const database = databaseFile === undefined ? undefined : new Database(databaseFile, { readonly: true });
database?.pragma('mmap_size = 268435456');
// As the server prepares them.
const prepared = database === undefined ? undefined : preparedStatements(database);

const recordings = new Map(
  Object.entries(reads).map(([target, { statements, value, headers }]) => [
    target,
    {
      value,
      headers: Object.entries(headers),
      statements: statements.map(({ sql, params, many, rows }) => {
        if (prepared === undefined) throw new Error('statements were recorded, but no database is given');
        const statement = prepared(sql);
        const found = many ? statement.all(params).length : Number(statement.get(params) !== undefined);
        if (found !== rows) throw new Error(`${found} rows instead of ${rows}: ${sql}`);
        return { statement, params, many };
      }),
    },
  ]),
);

const server = createServer((request, response) => {
  const token = String(request.headers['private-token'] ?? '');
  createHash('sha256').update(token).digest('hex');
  const recording = recordings.get(request.url ?? '');
  if (recording === undefined) {
    response.writeHead(404).end();
    return;
  }
  for (const { statement, params, many } of recording.statements) {
    if (many) statement.all(params);
    else statement.get(params);
  }
  const body = JSON.stringify(recording.value);
  for (const [name, value] of recording.headers) response.setHeader(name, value);
  response.setHeader('ETag', `W/"${createHash('md5').update(body).digest('hex')}"`);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
