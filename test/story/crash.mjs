// A program that fails: `node crash.mjs MANIFEST DSN FILE`. The manifest is next to the folder with @sentry/node; the file exports
// `greet`, which cannot greet a number.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , manifest, dsn, file] = process.argv;
const { init } = createRequire(manifest)('@sentry/node');
init({ dsn, release: 'lamps@1.0.0', environment: 'test' });
const { greet } = await import(pathToFileURL(file).href);
setTimeout(() => greet(42));
