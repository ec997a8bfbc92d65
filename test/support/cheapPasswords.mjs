// Derives password keys at the lowest cost: hashing is slow by design, and hundreds of tests sign in. Loaded by mocha before the test files
// (package.json, mocha.require), for servers that run in the test process. Servers in their own process hash at the normal cost.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;
Object.assign(crypto, {
  /** @type {typeof scrypt} */
  scrypt: (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: 2, p: 1 }, done),
});
syncBuiltinESMExports();
