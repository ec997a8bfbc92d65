import assert from 'node:assert/strict';
import type { ShownFrame } from '../../../src/contract/errorDetail.ts';
import { hasFileName, markedFrames } from '../../../src/errorCode/frames.ts';
import { errorDetail, errorEvent, eventData, shownFrame } from '../errorPanel/details.ts';

const detailOf = (...frames: readonly ShownFrame[]) =>
  errorDetail({
    latestEvent: errorEvent('a', eventData({ exceptions: [{ type: 'E', value: null, handled: null, frames }] })),
  });
const linesOf = (...frames: readonly ShownFrame[]): readonly number[] =>
  markedFrames(detailOf(...frames)).map(({ line }) => line);

describe('frames that are marked', () => {
  it('are those of the application that have a line, each line once', () => {
    const frames = [
      shownFrame('greet', { line: 3 }),
      shownFrame('greet', { line: 3 }),
      shownFrame('main', { line: 9 }),
      shownFrame('anonymous', { line: null }),
      shownFrame('layer', { line: 5, inApp: false }),
    ];
    assert.deepEqual(linesOf(...frames), [3, 9]);
  });

  it('without knowledge of the SDK are those outside of the folders of libraries', () => {
    assert.deepEqual(
      linesOf(
        shownFrame('a', { line: 1, inApp: null, filename: 'src/a.js' }),
        shownFrame('b', { line: 2, inApp: null, filename: 'node_modules/b/b.js' }),
        shownFrame('c', { line: 3, inApp: null, filename: 'c.py', absPath: '/usr/lib/python3/site-packages/c.py' }),
        shownFrame('d', { line: 4, inApp: null, filename: null, absPath: null }),
      ),
      [1],
    );
  });

  it('come from all exceptions of the chain, otherwise from the threads that crashed', () => {
    const exception = (frames: readonly ShownFrame[]) => ({ type: 'E', value: null, handled: null, frames });
    const threads = [
      { name: 'main', crashed: true, frames: [shownFrame('a', { line: 7 })] },
      { name: 'idle', crashed: false, frames: [shownFrame('b', { line: 8 })] },
    ];
    const chain = eventData({ exceptions: [exception([shownFrame('a')]), exception([shownFrame('b', { line: 4 })])], threads });
    const lines = (data: typeof chain) => markedFrames({ latestEvent: errorEvent('a', data) }).map(({ line }) => line);
    assert.deepEqual(lines(chain), [3, 4]);
    assert.deepEqual(lines(eventData({ threads })), [7]);
    assert.deepEqual(markedFrames({ latestEvent: errorEvent('a', null) }), []);
    assert.deepEqual(markedFrames({ latestEvent: null }), []);
  });

  it('have the code of their line, unless it is blank', () => {
    const code = [
      { line: 2, text: 'function greet() {' },
      { line: 3, text: '  return 1;' },
    ];
    assert.equal(markedFrames(detailOf(shownFrame('a', { code })))[0]?.code, '  return 1;');
    assert.equal(markedFrames(detailOf(shownFrame('a', { code: [{ line: 3, text: ' ' }] })))[0]?.code, undefined);
  });

  it('of a recursion are limited', () => {
    const frames = Array.from({ length: 500 }, (_, index) => shownFrame('again', { line: index + 1 }));
    assert.equal(linesOf(...frames).length, 40);
  });

  it('say that their source map may be of another build', () => {
    const [certain, doubtful] = [false, true].map((isMapDoubtful) =>
      markedFrames(detailOf({ ...shownFrame('a.ts'), line: 1, isMapDoubtful })),
    );
    assert.equal(certain?.[0]?.isMapDoubtful, undefined);
    assert.equal(doubtful?.[0]?.isMapDoubtful, true);
  });

  it('are only searched in files with the same name', () => {
    const location = { filename: 'src/Greet.py', absPath: null };
    assert.ok(hasFileName(location, 'greet.py'));
    assert.ok(!hasFileName(location, 'src'));
    assert.ok(hasFileName({ filename: '/app/dist/greet.js', absPath: null }, 'greet.ts'), 'can be compiled');
    assert.ok(!hasFileName({ filename: null, absPath: null }, 'greet.js'));
    assert.ok(hasFileName({ filename: 'app/%5Bslug%5D/Gr%C3%B6%C3%9Fe.py', absPath: null }, 'gro\u0308\u00dfe.py'), 'encoded');
  });
});
