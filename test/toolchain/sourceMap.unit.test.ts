import assert from 'node:assert/strict';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { encode } from '@jridgewell/sourcemap-codec';
import { withoutPackages } from '../../scripts/sourceMap.ts';

describe('source maps of bundles', () => {
  const map = {
    version: 3,
    sources: ['../src/app.ts', '../node_modules/koa/index.js'],
    names: ['listen', 'Koa', 'start'],
    mappings: encode([
      [
        [0, 0, 0, 0, 2],
        [10, 1, 5, 0, 1],
        [20, 1, 6, 0],
        [30, 0, 7, 4],
      ],
      [[0, 1, 9, 0, 0]],
    ]),
  };
  const at = (line: number, column: number) => {
    const slim = withoutPackages(map);
    const {
      source,
      line: original,
      name,
    } = originalPositionFor(
      new TraceMap({ version: 3, sources: [...slim.sources], names: [...slim.names], mappings: slim.mappings }),
      { line, column },
    );
    return [source, original, name];
  };

  it('lead to the source code of the project, with names', () => {
    assert.deepEqual(at(1, 3), ['../src/app.ts', 1, 'start']);
    assert.deepEqual(at(1, 33), ['../src/app.ts', 8, null]);
  });

  it('do not map the code of packages', () => {
    for (const [line, column] of [
      [1, 12],
      [1, 25],
      [2, 4],
    ] as const)
      assert.deepEqual(at(line, column), [null, null, null]);
    assert.deepEqual(withoutPackages(map).names, ['start']);
  });
});
