// A program that fails: `node crash.mjs MANIFEST DSN FILE`. @sentry/node is installed next to the manifest. The file exports `greet`, which
// cannot greet a number.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , manifest, dsn, file] = process.argv;
const { init } = createRequire(manifest)('@sentry/node');
init({ dsn, release: 'lamps@1.0.0', environment: 'test' });
const { greet } = await import(pathToFileURL(file).href);
setTimeout(() => greet(42));
