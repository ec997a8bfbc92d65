// Loaded by --import into every Node process of a VS Code under test: lets the local server that the extension starts hash the passwords of
// the demo data cheaply.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const CHEAP_PASSWORDS = new URL('../cheapPasswords.mjs', import.meta.url).href;

const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: (program, args, ...options) => {
    const isLocalServer = Array.isArray(args) && args[1] === 'serve' && args.includes('--stdin-handshake');
    return spawn(program, isLocalServer ? ['--import', CHEAP_PASSWORDS, ...args] : args, ...options);
  },
});
syncBuiltinESMExports();
