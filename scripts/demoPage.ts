// Minifies the booking page of the demo workspace, as its bundler would. `node scripts/demoPage.ts` writes the source map that the demo
// data contains to server/seeds/demoPageMap.ts, after a change of the page or of esbuild.
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const ROOT = path.dirname(import.meta.dirname);
const FILE = path.join(ROOT, 'server/seeds/demoPageMap.ts');

interface MinifiedPage {
  readonly code: string;
  readonly map: string;
  readonly debugId: string;
}

/** Returns the minified page, its source map and the debug ID of both. */
export async function minifiedDemoPage(): Promise<MinifiedPage> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(ROOT, 'media/demo-workspace/berth-api/public/booking.js')],
    outfile: path.join(ROOT, 'media/demo-workspace/berth-api/dist/booking.min.js'),
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    sourcemap: 'external',
    logLevel: 'silent',
  });
  const textOf = (end: string): string => outputFiles.find((file) => file.path.endsWith(end))?.text ?? '';
  const code = textOf('.js');
  const debugId = debugIdOf(code);
  const map = JSON.stringify({ ...(JSON.parse(textOf('.map')) as object), file: 'booking.min.js', debugId });
  return { code, map, debugId };
}

/** Returns an ID of the code in the form of a UUID of version 5. */
function debugIdOf(code: string): string {
  const digits = hash('sha256', code);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `5${digits.slice(12, 15)}`,
    `8${digits.slice(15, 18)}`,
    digits.slice(18, 30),
  ].join('-');
}

function moduleOf({ map, debugId }: MinifiedPage): string {
  const escaped = map.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
  return [
    '// Written by scripts/demoPage.ts.',
    '',
    `export const demoPageDebugId = '${debugId}';`,
    '',
    '/** Source map of the minified booking page of the demo workspace. */',
    `export const demoPageMap = \`${escaped}\`;`,
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(FILE, moduleOf(await minifiedDemoPage()));
