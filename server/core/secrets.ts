import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Returns the SHA-256 hash of a token or code as hex. The hash is stored instead of the secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Returns 32 random bytes as 64 lower-case hex characters, the form of OAuth tokens and codes of GitLab. */
export function randomSecret(): string {
  // Random bytes are fetched in bulk, because each system call costs more than the bytes.
  if (unused.length < SECRET_BYTES) unused = randomBytes(64 * SECRET_BYTES);
  const secret = unused.subarray(0, SECRET_BYTES);
  const text = secret.toString('hex');
  secret.fill(0);
  unused = unused.subarray(SECRET_BYTES);
  return text;
}

/** Number of hex characters at each end of a numbered secret that together contain its number: 48 bits. */
const NUMBER_LENGTH = 12;

/**
 * Returns a secret of the same form that contains the id of its row, so that its hash needs no index. In an index of hashes, every new row
 * would write a page of its own. The number is only obfuscated with random bits of the secret; the other 208 bits are secret.
 */
export function numberedSecret(number: number): string {
  const secret = randomSecret();
  const mixed = BigInt(number) ^ BigInt(`0x${secret.slice(0, NUMBER_LENGTH)}`);
  return secret.slice(0, -NUMBER_LENGTH) + mixed.toString(16).padStart(NUMBER_LENGTH, '0');
}

/** Returns the number in a numbered secret. The result is arbitrary for another secret of that form, and 0 for everything else. */
export function numberInSecret(secret: string): number {
  if (!/^[0-9a-f]{64}$/.test(secret)) return 0;
  return Number(BigInt(`0x${secret.slice(0, NUMBER_LENGTH)}`) ^ BigInt(`0x${secret.slice(-NUMBER_LENGTH)}`));
}

const SECRET_BYTES = 32;
let unused = Buffer.alloc(0);

/**
 * Returns a new personal access token in the form of current servers (docs/interface.md#personal-access-tokens): random bytes, the owner,
 * the version and length of these, and a checksum that reveals typos. All parts except the random bytes are public.
 */
export function randomPersonalToken(userId: number): string {
  const location = `c:1\no:1\nu:${userId.toString(36)}`;
  const payload = Buffer.concat([randomBytes(16), Buffer.from(location), Buffer.from([location.length])]).toString('base64url');
  const unchecked = `glpat-${payload}.01.${payload.length.toString(36).padStart(2, '0')}`;
  return `${unchecked}${crc32(unchecked).toString(36).padStart(7, '0')}`;
}

/** Compares two texts in constant time for equal lengths. */
export function equalSecrets(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

const SCRYPT = { N: 16_384, r: 8, p: 5, maxmem: 64 * 1024 * 1024 } as const;
const KEY_LENGTH = 32;

function derive(password: string, salt: Buffer, options: { N: number; r: number; p: number; maxmem: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_LENGTH, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** Returns the scrypt hash of a password with its salt and cost: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, SCRYPT);
  return ['scrypt', SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Returns a hash that matches no known password: salt and key are random. */
export function unmatchedPasswordHash(): string {
  const parts = [16, KEY_LENGTH].map((size) => randomBytes(size).toString('base64url'));
  return ['scrypt', SCRYPT.N, SCRYPT.r, SCRYPT.p, ...parts].join('$');
}

const decoy = unmatchedPasswordHash();

/**
 * Returns true if a password matches a stored hash. Without a hash it does the same work, so that the response time does not reveal which
 * users exist.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, n, r, p, salt = '', key = ''] = (stored ?? decoy).split('$');
  if (scheme !== 'scrypt') return false;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), {
    N: Number(n),
    r: Number(r),
    p: Number(p),
    maxmem: SCRYPT.maxmem,
  });
  return equalSecrets(derived.toString('base64url'), key) && stored !== null;
}
