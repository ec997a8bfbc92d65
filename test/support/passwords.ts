// Password hashes for users that tests create. A hash contains its cost parameters, so these are verified like any other, but without
// delay.
import { randomBytes, scryptSync } from 'node:crypto';

const COST = { N: 2, r: 1, p: 1 } as const;

/** Returns a hash in the format of the server's `hashPassword`, at minimal cost. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize('NFKC'), salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}
