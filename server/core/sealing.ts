import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Core } from './core.ts';

// Encryption of secrets that must be readable and therefore cannot be hashes. Like the signing key, the key is stored next to the database
// and not in it, so a copy of the data, such as a snapshot, cannot decrypt them.

const KEY_FILE = 'sealing.key';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Sizes of the initialization vector and the tag, in bytes (NIST SP 800-38D §8.2, §5.2.1.2). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Owner of the keys: a data folder, or a process without one. */
export type KeyOwner = Pick<Core, 'dataFolder'>;

const keys = new WeakMap<KeyOwner, Buffer>();

/** Keys for other uses by the sealing key and the use. Deriving one takes longer than all else of a read. */
const derivedKeys = new WeakMap<Buffer, Map<string, string>>();

/**
 * Encrypts a text so that only this server can decrypt it, and only for the same purpose: `context` contains the kind of the secret and its
 * owner.
 */
export function seal(core: KeyOwner, context: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(core), iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** Returns the decrypted text. Undefined if it was sealed with another key or context, or was modified. */
export function unseal(core: KeyOwner, context: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(core), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns a key for another use of the key file (RFC 5869), as 64 hexadecimal digits. It stays the same as long as the data folder exists.
 */
export function keyFor(core: KeyOwner, use: string): string {
  const key = keyOf(core);
  const derived = derivedKeys.get(key) ?? new Map<string, string>();
  derivedKeys.set(key, derived);
  let found = derived.get(use);
  if (found === undefined) {
    found = Buffer.from(hkdfSync('sha256', key, '', use, KEY_BYTES)).toString('hex');
    derived.set(use, found);
  }
  return found;
}

/** Copies the keys of the owner that created a platform's data to the platform. */
export function takeKeys(core: KeyOwner, owner: KeyOwner): void {
  const key = keys.get(owner);
  if (key !== undefined) keys.set(core, key);
}

/** Returns the sealing key. It is derived from the key file (RFC 5869), so that other uses of the file have separate keys. */
function keyOf(core: KeyOwner): Buffer {
  let key = keys.get(core);
  if (key === undefined) {
    key = Buffer.from(hkdfSync('sha256', masterKey(core.dataFolder), '', 'signalbox sealed secrets', KEY_BYTES));
    keys.set(core, key);
  }
  return key;
}

/**
 * Returns the master key. It is created on first use and stays the same as long as the data folder exists. Without a folder it lives only
 * in this process.
 */
function masterKey(folder: string | undefined): Buffer {
  const file = folder === undefined ? undefined : path.join(folder, KEY_FILE);
  if (file !== undefined && existsSync(file)) {
    const stored = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
    if (stored.length !== KEY_BYTES) throw new Error(`${KEY_FILE} contains no valid key`);
    return stored;
  }
  const made = randomBytes(KEY_BYTES);
  if (file !== undefined) writeFileSync(file, `${made.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return made;
}
