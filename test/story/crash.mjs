// A program that fails: `node crash.mjs MANIFEST DSN FILE`. The manifest is next to the folder with @sentry/node; the file exports
// `greet`, which cannot greet a number.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , manifest, dsn, file] = process.argv;
const { addBreadcrumb, init } = createRequire(manifest)('@sentry/node');
init({ dsn, release: 'lamps@1.0.0', environment: 'test', includeLocalVariables: true });
addBreadcrumb({ category: 'lamp', message: 'Lamp 7 was lit', data: { lamp: 7 } });
const { greet } = await import(pathToFileURL(file).href);
setTimeout(() => greet(42));
