import assert from 'node:assert/strict';
import { mapOf, readSourceMap } from '../../../src/errorCode/sourceMaps.ts';

/** `greet.ts`, as esbuild 0.28 has minified it. The call of `trim` is in line 2 of the source. */
const CODE = 'export function greet(r){return r.trim()}\n';
const MAP = JSON.stringify({
  version: 3,
  sources: ['../src/greet.ts'],
  mappings: 'AAAO,gBAAS,MAAMA,EAAsB,CAC1C,OAAOA,EAAK,KAAK,CACnB',
  names: ['name'],
});

describe('source maps of the workspace', () => {
  it('lead from compiled code to its source', () => {
    const original = readSourceMap(MAP)?.originalOf(1, CODE.indexOf('.trim') + 1);
    assert.deepEqual(original, { source: '../src/greet.ts', line: 2 });
    assert.equal(readSourceMap(MAP)?.originalOf(9, 1), undefined);
  });

  it('are in the file, or beside it under a name', () => {
    const url = `data:application/json;charset=utf-8;base64,${Buffer.from(MAP).toString('base64')}`;
    assert.deepEqual(mapOf(`${CODE}//# sourceMappingURL=${url}\n`, 'greet.js'), { text: MAP });
    assert.deepEqual(mapOf('x\n//# sourceMappingURL=maps/greet.map\n', 'greet.js'), { path: 'maps/greet.map' });
    assert.deepEqual(mapOf('x', 'greet.js'), { path: 'greet.js.map' });
    assert.deepEqual(mapOf('x\n//# sourceMappingURL=https://x.example/greet.map', 'greet.js'), { path: 'greet.js.map' });
  });

  it('that are broken are ignored', () => {
    for (const text of ['', '{', '[]', '{"version":3}', '{"version":3,"sources":[],"mappings":7}'])
      assert.equal(readSourceMap(text), undefined, text);
    assert.equal(readSourceMap('{"version":3,"sources":[null],"names":[],"mappings":""}')?.originalOf(1, 1), undefined);
  });
});
