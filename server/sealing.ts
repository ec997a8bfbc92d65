import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from './platform.ts';

// For secrets that must be read again and therefore cannot be hashes. The key stands beside the database and not in it, like the one that
// signs: a copy of the data, such as a snapshot, opens none of them.

const KEY_FILE = 'sealing.key';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Of the initialization vector and the tag (NIST SP 800-38D §8.2, §5.2.1.2). */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Whose keys they are: of a data folder, or of one process where nothing is kept on disk. */
export type KeyOwner = Pick<Platform, 'dataFolder'>;

const keys = new WeakMap<KeyOwner, Buffer>();

/** Encrypts a text so that only this server opens it, and only as what it is: `what` names its kind and whose it is. */
export function seal(platform: KeyOwner, what: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(platform), iv).setAAD(Buffer.from(what));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** The text again. Undefined when it was sealed with another key, as another thing, or was changed. */
export function unseal(platform: KeyOwner, what: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(platform), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(what)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** A key for one more use of the file (RFC 5869), the same for as long as the data folder is kept. 64 hexadecimal digits. */
export function keyFor(platform: KeyOwner, use: string): string {
  return Buffer.from(hkdfSync('sha256', keyOf(platform), '', use, KEY_BYTES)).toString('hex');
}

/** Gives a platform the keys of the owner that made its data before it was there. */
export function takeKeys(platform: KeyOwner, owner: KeyOwner): void {
  const key = keys.get(owner);
  if (key !== undefined) keys.set(platform, key);
}

/** Derived from what the file holds (RFC 5869), so that other uses of the file can have keys of their own. */
function keyOf(platform: KeyOwner): Buffer {
  let key = keys.get(platform);
  if (key === undefined) {
    key = Buffer.from(hkdfSync('sha256', masterKey(platform.dataFolder), '', 'signalbox sealed secrets', KEY_BYTES));
    keys.set(platform, key);
  }
  return key;
}

/** Made when it is first needed, and the same for as long as the data folder is kept. Without a folder nothing outlives the process. */
function masterKey(folder: string | undefined): Buffer {
  const file = folder === undefined ? undefined : path.join(folder, KEY_FILE);
  if (file !== undefined && existsSync(file)) {
    const stored = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
    if (stored.length !== KEY_BYTES) throw new Error(`${KEY_FILE} holds no key`);
    return stored;
  }
  const made = randomBytes(KEY_BYTES);
  if (file !== undefined) writeFileSync(file, `${made.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return made;
}
