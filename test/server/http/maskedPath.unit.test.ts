import assert from 'node:assert/strict';
import { createPathMask } from '../../../server/http/maskedPath.ts';

const mask = createPathMask({
  '/links/:link': ['link'],
  '/files/:id/:place/:filename': ['place'],
});

describe('a path in the request log', () => {
  for (const [title, path, stored] of [
    ['has no secret parameter at its end', '/links/abc', '/links/[masked]'],
    ['has nothing below a secret parameter at its end', '/links/abc/def', '/links/[masked]'],
    ['has no secret parameter in its middle', '/files/7/abc/a.png', '/files/7/[masked]/a.png'],
    ['is unchanged if it is shorter than that with a secret parameter', '/files/7/8', '/files/7/8'],
    ['has no encoded secret parameter', '/files/a%2Fb/x%2Fy/a.png', '/files/a%2Fb/[masked]/a.png'],
    ['has no text that looks like a secret in other parameters', `/files/7/abc/${'a1'.repeat(32)}`, '/files/7/[masked]/[masked]'],
    ['is unchanged without secret parameters', '/other/7/abc', '/other/7/abc'],
  ] as const) {
    it(`a path in the request log ${title}`, () => assert.equal(mask(path), stored));
  }
});
