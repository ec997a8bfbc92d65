import vm from 'node:vm';
import * as esbuild from 'esbuild';

/** An application of two files that fails, as bundlers minify it. */

export const cart = `export interface Item {
  price: number;
}

/** Returns the total cost. */
export function totalOfItems(items: readonly Item[]): number {
  const first = items[0];
  if (first === undefined) {
    throw new Error('the cart is empty');
  }
  return items.length * first.price;
}
`;
export const main = `import { totalOfItems } from './cart.ts';

function checkOut(): void {
  console.log(totalOfItems([]));
}

checkOut();
`;
/** Code added by a later version, so that the minifier assigns other names. */
const greeting = `export function greet(name: string): string {
  return describe(name) + describe(name.trim()) + describe(name.toUpperCase());
}
function describe(name: string): string {
  return name + measure(name) + measure(name.trim()) + measure(name.toLowerCase());
}
function measure(name: string): number {
  return name.length;
}
`;

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

/** Bundles with esbuild, minified unless `options` disable it. The caller must call `stop` of esbuild at the end. */
export async function bundled(options: esbuild.BuildOptions = {}, isLater = false): Promise<Bundle> {
  const files: Readonly<Record<string, string>> = {
    '/shop/src/main.ts': isLater ? `import { greet } from './greeting.ts';\nconsole.log(greet('you'));\n${main}` : main,
    '/shop/src/cart.ts': isLater ? `// Prices are in cents.\n${cart}` : cart,
    '/shop/src/greeting.ts': greeting,
  };
  const { outputFiles = [] } = await esbuild.build({
    entryPoints: ['/shop/src/main.ts'],
    outfile: '/shop/static/app.js',
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    sourcemap: 'external',
    ...options,
    plugins: [
      {
        name: 'files-of-this-test',
        setup(build) {
          build.onResolve({ filter: /.*/ }, ({ path: name }) => ({
            path: name.startsWith('./') ? `/shop/src/${name.slice(2)}` : name,
          }));
          build.onLoad({ filter: /.*/ }, ({ path: name }) => ({ contents: files[name] ?? '', loader: 'ts' }));
        },
      },
    ],
  });
  const text = (ending: string): string => outputFiles.find(({ path: name }) => name.endsWith(ending))?.text ?? '';
  return { code: text('.js'), map: text('.map') };
}

export interface ThrownFrame {
  readonly filename: string;
  readonly function: string;
  readonly lineno: number;
  readonly colno: number;
}

/** Returns the frames of the error that a script throws, as an SDK in a page sends them: callers first. */
export function thrown(code: string, filename: string): ThrownFrame[] {
  let stack = '';
  try {
    new vm.Script(code, { filename }).runInNewContext({ console: { log: () => {} } });
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'stack' in error) stack = String(error.stack);
  }
  return [...stack.matchAll(/at (?:(\S+) \()?([^()\n]+):(\d+):(\d+)\)?$/gm)]
    .filter(([, , file]) => file === filename)
    .reverse()
    .map(([, name, file, line, column]) => ({
      filename: file ?? '',
      function: name ?? '?',
      lineno: Number(line),
      colno: Number(column),
    }));
}
