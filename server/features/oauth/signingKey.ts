import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JWK } from 'jose';
import type { Core } from '../../core/core.ts';

/** File of the private key. It is not stored in the database, so that copies of the data, such as snapshots, cannot sign. */
const KEY_FILE = 'signing-key.pem';
const MODULUS_BITS = 2048;

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  /** Published form of the public key. */
  readonly jwk: JWK;
}

const keys = new WeakMap<Core, Promise<SigningKey>>();

/** Returns the key for signing ID tokens. It is created on first use and stored in the data folder. */
export function signingKey(core: Core): Promise<SigningKey> {
  let key = keys.get(core);
  if (key === undefined) {
    key = loadKey(core.dataFolder);
    keys.set(core, key);
    // After a failed write, the next request tries again.
    key.catch(() => keys.delete(core));
  }
  return key;
}

async function loadKey(folder: string | undefined): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK } = await import('jose');
  const file = folder === undefined ? undefined : path.join(folder, KEY_FILE);
  const privateKey = file !== undefined && existsSync(file) ? createPrivateKey(readFileSync(file)) : await makeKey(file);
  const { kty, e, n } = await exportJWK(privateKey);
  if (kty !== 'RSA' || e === undefined || n === undefined) throw new Error(`${KEY_FILE} does not contain an RSA key`);
  const kid = await calculateJwkThumbprint({ kty, e, n });
  return { privateKey, kid, jwk: { kty, kid, e, n, use: 'sig', alg: 'RS256' } };
}

function makeKey(file: string | undefined): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: MODULUS_BITS }, (error, _publicKey, privateKey) => {
      try {
        if (error !== null) throw error;
        if (file !== undefined) keepKey(file, privateKey);
        resolve(privateKey);
      } catch (failure) {
        reject(failure instanceof Error ? failure : new Error(String(failure)));
      }
    });
  });
}

/** Writes the file atomically, because an incomplete key would break every later start. */
function keepKey(file: string, key: KeyObject): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
  renameSync(draft, file);
}
