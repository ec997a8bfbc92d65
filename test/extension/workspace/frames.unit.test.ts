import assert from 'node:assert/strict';
import { absolutePath, isLibraryPath, pathParts } from '../../../src/workspace/frames.ts';

describe('absolute paths of stack frames', () => {
  for (const [path, isWindows, expected] of [
    ['/srv/app/ship.py', false, '/srv/app/ship.py'],
    ['file:///srv/app/ship.mjs', false, '/srv/app/ship.mjs'],
    ['app/ship.py', false, undefined],
    ['/srv/../etc/passwd', false, undefined],
    ['//host/share/ship.py', false, undefined],
    ['file://host/share/ship.py', false, undefined],
    ['C:\\app\\ship.cs', false, undefined],
    ['C:\\app\\ship.cs', true, 'C:\\app\\ship.cs'],
    ['file:///c:/app/ship.mjs', true, 'c:/app/ship.mjs'],
    ['\\\\host\\share\\ship.cs', true, undefined],
    ['//host/share/ship.cs', true, undefined],
    ['/srv/app/ship.py', true, undefined],
    ['webpack:///./src/a.ts', false, undefined],
    ['', false, undefined],
  ] as const)
    it(`absolute paths of stack frames on ${isWindows ? 'Windows' : 'other systems'}: “${path}” is ${expected ?? 'none'}`, () => {
      assert.equal(absolutePath(path, isWindows), expected);
    });
});

describe('the file of a frame', () => {
  for (const [path, parts] of [
    ['greet.js', 'greet.js'],
    ['webpack:///./src/greet.js?a1b2', 'src/greet.js'],
    ['webpack-internal:///(rsc)/./src/greet.js', 'src/greet.js'],
    ['app:///lib/greet.js', 'lib/greet.js'],
    ['file:///app/greet.js', 'app/greet.js'],
    ['~/src/../lib/./greet.js', 'lib/greet.js'],
    ['C:\\work\\lamps\\greet.js', 'work/lamps/greet.js'],
    ['../../etc/passwd', 'etc/passwd'],
    ['<anonymous>', ''],
    ['node:internal/timers', ''],
    ['', ''],
  ] as const)
    it(`a frame of ${JSON.stringify(path)} has the path ${JSON.stringify(parts)}`, () => {
      assert.equal(pathParts(path).join('/'), parts);
    });

  for (const [path, isLibrary] of [
    ['node_modules/koa/index.js', true],
    ['C:\\x\\node_modules\\koa\\index.js', true],
    ['/usr/lib/python3/site-packages/flask/app.py', true],
    ['node:internal/timers', true],
    ['<anonymous>', true],
    ['src/vendors.js', false],
    ['greet.js', false],
  ] as const)
    it(`${path} is ${isLibrary ? '' : 'not '}library code`, () => {
      assert.equal(isLibraryPath(path), isLibrary);
    });
});
