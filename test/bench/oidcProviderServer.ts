import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { exportJWK, generateKeyPair } from 'jose';
import { type Adapter, type Payload, Provider } from 'oidc-provider';
import { commonConfiguration } from '../server/oauth/differentialOracle.ts';

// Runs oidc-provider as a separate process, with its data in SQLite as the Signalbox server stores it: prepared statements and the same
// pragmas. Prints its origin, and writes the refresh tokens of the requested number of sign-ins to a file.
const [folder = '', wanted = '16'] = process.argv.slice(2);
const clientId = 'bench';
const database = new Database(path.join(folder, 'oidc-provider.sqlite'));
for (const pragma of [
  'journal_mode = WAL',
  'synchronous = FULL',
  'busy_timeout = 5000',
  'journal_size_limit = 67108864',
  'temp_store = MEMORY',
  'mmap_size = 268435456',
]) {
  database.pragma(pragma);
}
database.exec(`
  CREATE TABLE payloads (
    model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, grant_id TEXT, uid TEXT, user_code TEXT, consumed INTEGER,
    expires_at INTEGER, PRIMARY KEY (model, id)
  ) WITHOUT ROWID;
  CREATE INDEX payloads_by_grant ON payloads (model, grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX payloads_by_uid ON payloads (model, uid) WHERE uid IS NOT NULL;
  CREATE INDEX payloads_by_user_code ON payloads (model, user_code) WHERE user_code IS NOT NULL;
`);

interface Row {
  readonly payload: string;
  readonly consumed: number | null;
}

const upsert = database.prepare(`
  INSERT INTO payloads (model, id, payload, grant_id, uid, user_code, expires_at)
  VALUES ($model, $id, $payload, $grantId, $uid, $userCode, $expiresAt)
  ON CONFLICT DO UPDATE SET payload = $payload, grant_id = $grantId, uid = $uid, user_code = $userCode, expires_at = $expiresAt`);
const find = database.prepare<[string, string], Row>('SELECT payload, consumed FROM payloads WHERE model = ? AND id = ?');
const findByUid = database.prepare<[string, string], Row>('SELECT payload, consumed FROM payloads WHERE model = ? AND uid = ?');
const findByUserCode = database.prepare<[string, string], Row>(
  'SELECT payload, consumed FROM payloads WHERE model = ? AND user_code = ?',
);
const consume = database.prepare('UPDATE payloads SET consumed = ? WHERE model = ? AND id = ? AND consumed IS NULL');
const destroy = database.prepare('DELETE FROM payloads WHERE model = ? AND id = ?');
const revoke = database.prepare('DELETE FROM payloads WHERE model = ? AND grant_id = ?');

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function payloadOf(row: Row | undefined): Payload | undefined {
  if (row === undefined) return undefined;
  const payload = JSON.parse(row.payload) as Payload;
  return row.consumed === null ? payload : { ...payload, consumed: row.consumed };
}

function sqliteAdapter(model: string): Adapter {
  return {
    upsert: async (id, payload, expiresIn) => {
      upsert.run({
        model,
        id,
        payload: JSON.stringify(payload),
        grantId: textOf(payload['grantId']),
        uid: textOf(payload['uid']),
        userCode: textOf(payload['userCode']),
        expiresAt: Math.floor(Date.now() / 1000) + expiresIn,
      });
    },
    find: async (id) => payloadOf(find.get(model, id)),
    findByUid: async (uid) => payloadOf(findByUid.get(model, uid)),
    findByUserCode: async (userCode) => payloadOf(findByUserCode.get(model, userCode)),
    consume: async (id) => {
      consume.run(Math.floor(Date.now() / 1000), model, id);
    },
    destroy: async (id) => {
      destroy.run(model, id);
    },
    revokeByGrantId: async (grantId) => {
      revoke.run(model, grantId);
    },
  };
}

const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(privateKey)), kid: 'bench', use: 'sig', alg: 'RS256' };
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  void serve();
});

async function serve(): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const provider = new Provider(origin, {
    ...commonConfiguration,
    adapter: sqliteAdapter,
    jwks: { keys: [jwk] },
    cookies: { keys: ['bench'] },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
  });
  const client = await provider.Client.find(clientId);
  const tokens: string[] = [];
  for (let n = 0; n < Number(wanted); n += 1) {
    const grant = new provider.Grant({ accountId: '1', clientId });
    grant.addOIDCScope('api');
    const grantId = await grant.save();
    const token = new provider.RefreshToken({ accountId: '1', client, grantId, gty: 'authorization_code', scope: 'api' });
    tokens.push(await token.save());
  }
  writeFileSync(path.join(folder, 'tokens.json'), JSON.stringify(tokens));
  server.on('request', provider.callback());
  process.stdout.write(`${JSON.stringify({ origin })}\n`);
}
