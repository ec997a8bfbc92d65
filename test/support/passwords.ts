// Hashes of passwords for people that tests make. The cost of a hash stands in it, so these are checked as any other, and at once.
import { randomBytes, scryptSync } from 'node:crypto';

const COST = { N: 2, r: 1, p: 1 } as const;

/** As `hashPassword` of the server writes it, for next to nothing. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize('NFKC'), salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}
