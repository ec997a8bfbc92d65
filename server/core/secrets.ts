import { hash, randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
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
const LOWEST = { N: 2, r: 1, p: 1 } as const;
const KEY_LENGTH = 32;

function derive(password: string, salt: Buffer, options: Cost & { readonly maxmem: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_LENGTH, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** Returns the scrypt hash of a password with its salt and cost: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return hashText(SCRYPT, salt, await derive(password, salt, SCRYPT));
}

export interface RandomPassword {
  readonly password: string;
  readonly hash: string;
}

/**
 * Returns a new random password with its hash. The hash has the lowest cost, because nobody can try 2^96 passwords, however fast each is.
 * Once the password is used, {@link verifyPassword} returns a hash of the normal cost that replaces it.
 */
export function randomPassword(): RandomPassword {
  const password = randomBytes(12).toString('base64url');
  const salt = randomBytes(16);
  return { password, hash: hashText(LOWEST, salt, scryptSync(password, salt, KEY_LENGTH, LOWEST)) };
}

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

function hashText({ N, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Returns a hash that matches no known password: salt and key are random. */
export function unmatchedPasswordHash(): string {
  return hashText(SCRYPT, randomBytes(16), randomBytes(KEY_LENGTH));
}

const decoy = unmatchedPasswordHash();

export interface VerifiedPassword {
  readonly isCorrect: boolean;
  /** Hash of the normal cost that should replace the stored one. Undefined if that has the normal cost, or if the password is wrong. */
  readonly replacement: string | undefined;
}

/**
 * Compares a password with a stored hash. Without a hash, or with one of a lower cost, it does the same work, so that the response time does
 * not reveal which users exist.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<VerifiedPassword> {
  const [scheme, n, r, p, salt = '', key = ''] = (stored ?? decoy).split('$');
  if (scheme !== 'scrypt') return { isCorrect: false, replacement: undefined };
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), { ...cost, maxmem: SCRYPT.maxmem });
  const isCorrect = equalSecrets(derived.toString('base64url'), key) && stored !== null;
  const stronger = workOf(cost) < workOf(SCRYPT) ? await hashPassword(password) : undefined;
  return { isCorrect, replacement: isCorrect ? stronger : undefined };
}

/** Returns a number that is proportional to the time that a hash of this cost takes. */
function workOf({ N, r, p }: Cost): number {
  return N * r * p;
}
