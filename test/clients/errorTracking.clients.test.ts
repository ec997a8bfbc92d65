import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { makeDsn } from '../../src/contract/dsn.ts';
import { readLatest } from '../../server/features/errorTracking/read/readErrors.ts';
import { trackedProject } from '../server/errorTracking/senders.ts';
import { testEnvironment } from '../support/environment.ts';
import { clientTest } from '../support/clientSuite.ts';
import { sampleOf } from '../support/sample.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { nodeIdsTest, nodePackages, quickSdks, sdkTests, showPage, spotlightTest, taskGroupTest } from './sdks.ts';

describe('events from error tracking SDKs', () => {
  const chosen = ['@sentry/node', ...sampleOf('SDKs', quickSdks, 1)];
  sdkTests((name) => chosen.includes(name));
  spotlightTest();
  taskGroupTest();
  nodeIdsTest();
  clientTest(
    'events from a minified program with @sentry/node are shown at the original source position',
    nodePackages,
    minified,
  );
  clientTest(
    'events from two minified builds of one page with @sentry/browser are one error, at the original source positions',
    nodePackages,
    twoBuilds,
  );
});

async function twoBuilds(packages: string): Promise<void> {
  await using server = await startTestServer();
  const project = trackedProject(server);
  const scripts: string[] = [];
  for (const [release, isLarger] of [
    ['shop@1.0.0', false],
    ['shop@1.1.0', true],
  ] as const) {
    const { outputFiles } = await build({
      ...{ bundle: true, minify: true, write: false, sourcemap: 'external', logLevel: 'silent' },
      entryPoints: [path.join(import.meta.dirname, 'node/sentry/checkout.js')],
      outfile: 'page.js',
      define: { IS_LARGER: String(isLarger) },
      nodePaths: [path.join(packages, 'node_modules')],
    });
    const textOf = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
    const map = await server.request('POST', `/api/v4/projects/${project.id}/error_tracking/source_maps`, {
      token: project.owner.token,
      json: { file: textOf('.map'), name: 'page.js', release },
    });
    assert.equal(map.status, 201, map.text);
    scripts.push(textOf('.js'));
    await showPage(textOf('.js'), { release, dsn: makeDsn(server.origin, project.key, project.id) });
  }
  assert.notEqual(scripts[0], scripts[1]);
  const [error, ...others] = await project.errors();
  assert.ok(error);
  assert.deepEqual([others, error.title, error.event_count], [[], 'TypeError: the item has no price', 2]);
  const latest = await readLatest(server.platform, error);
  const frames = latest?.event.exceptions[0]?.frames.slice(-2) ?? [];
  assert.deepEqual(
    frames.map((frame) => [path.basename(frame.filename ?? ''), frame.line, frame.contextLine?.trim()]),
    [
      ['checkout.js', 36, 'this.cart.add(item);'],
      ['checkout.js', 25, "if (item.price === undefined) throw new TypeError('the item has no price');"],
    ],
  );
}

async function minified(packages: string): Promise<void> {
  const entry = path.join(import.meta.dirname, 'node/sentry/shop/shop.mjs');
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile: 'shop.min.mjs',
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'esm',
    sourcemap: 'external',
    logLevel: 'silent',
  });
  const textOf = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
  await using server = await startTestServer();
  using folder = temporaryFolder();
  const project = trackedProject(server);
  const map = await server.request('POST', `/api/v4/projects/${project.id}/error_tracking/source_maps`, {
    token: project.owner.token,
    json: { file: textOf('.map'), name: 'shop.min.mjs', release: 'shop@1.2.3' },
  });
  assert.equal(map.status, 201, map.text);
  const program = path.join(folder.path, 'shop.min.mjs');
  writeFileSync(program, textOf('.mjs'));
  const env = testEnvironment([], { SHOP_DSN: makeDsn(server.origin, project.key, project.id) });
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [program, path.join(packages, 'package.json'), '@sentry/node'], { env }, (_, out, err) =>
      resolve(out + err),
    );
  });
  const [error, ...others] = await project.errors();
  assert.ok(error, output);
  assert.deepEqual([others, error.title], [[], 'Error: the cart is empty']);
  const latest = await readLatest(server.platform, error);
  const frames = latest?.event.exceptions[0]?.frames.slice(-2) ?? [];
  assert.deepEqual(
    frames.map((frame) => [path.basename(frame.filename ?? ''), frame.function, frame.line, frame.contextLine, frame.inApp]),
    [
      ['shop.mjs', 'checkOut', 11, '  console.log(totalOfItems([]));', true],
      ['cart.mjs', 'totalOfItems', 5, "    throw new Error('the cart is empty');", true],
    ],
    output,
  );
  assert.match(error.culprit, /^totalOfItems \(.*cart\.mjs\)$/);
}
