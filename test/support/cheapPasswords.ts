// Derives the keys of passwords at the lowest cost, for servers in the process of the tests: a hash is meant to take long, and hundreds of
// tests sign in. Servers in a process of their own hash as they always do. Loaded by mocha before the test files (package.json, mocha.require).
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;
Object.assign(crypto, {
  scrypt: (
    password: crypto.BinaryLike,
    salt: crypto.BinaryLike,
    length: number,
    options: crypto.ScryptOptions,
    done: (error: Error | null, key: Buffer) => void,
  ) => scrypt(password, salt, length, { ...options, N: 2, p: 1 }, done),
});
syncBuiltinESMExports();
