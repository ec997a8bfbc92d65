import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';

// A bare node:http server that does the same SQL, hash and JSON work as one request to the Signalbox server, and nothing else: it runs the
// recorded statements with their parameters, hashes the token, serializes the same items to JSON and computes the entity tag.
interface Recording {
  readonly statements: readonly {
    readonly sql: string;
    readonly params: Record<string, string | number>;
    readonly many: boolean;
  }[];
  readonly items: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const [file = '', recordingFile = ''] = process.argv.slice(2);
const recording = JSON.parse(readFileSync(recordingFile, 'utf8')) as Recording;
const database = new Database(file, { readonly: true });
database.pragma('mmap_size = 268435456');
const statements = recording.statements.map(({ sql, params, many }) => ({ statement: database.prepare(sql), params, many }));

const server = createServer((request, response) => {
  const token = String(request.headers['private-token'] ?? '');
  createHash('sha256').update(token).digest('hex');
  for (const { statement, params, many } of statements) {
    if (many) statement.all(params);
    else statement.get(params);
  }
  const body = JSON.stringify(recording.items);
  for (const [name, value] of Object.entries(recording.headers)) response.setHeader(name, value);
  response.setHeader('ETag', `W/"${createHash('md5').update(body).digest('hex')}"`);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
