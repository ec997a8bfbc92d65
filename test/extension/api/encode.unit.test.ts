import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { apiPath, queryString } from '../../../src/api/encode.ts';
import { linkTo } from '../../../src/contract/pagination.ts';

describe('API paths', () => {
  it('API paths contain every value as one encoded segment', () => {
    assert.equal(apiPath`/projects/${'group/sub/name.io'}/events`, '/projects/group%2Fsub%2Fname.io/events');
    assert.equal(apiPath`/projects/${42}`, '/projects/42');
    assert.equal(apiPath`/x/${'a?b#c%d e'}`, '/x/a%3Fb%23c%25d%20e');
  });

  it('API paths reject values that would be resolved away', () => {
    for (const value of ['', '.', '..']) assert.throws(() => apiPath`/projects/${value}`, RangeError);
  });

  it('API paths preserve any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        fc.pre(value !== '.' && value !== '..');
        const { pathname } = new URL(`https://example.com${apiPath`/projects/${value}/events`}`);
        assert.equal(decodeURIComponent(/^\/projects\/([^/]+)\/events$/.exec(pathname)?.[1] ?? ''), value);
      }),
    );
  });
});

describe('API queries', () => {
  it('API queries encode a plus as %2B, arrays as name[], and omit undefined', () => {
    const query = queryString({ before: '2026-11-20T10:00:00+02:00', ids: [1, 2], membership: true, none: undefined });
    assert.equal(query, '?before=2026-11-20T10%3A00%3A00%2B02%3A00&ids%5B%5D=1&ids%5B%5D=2&membership=true');
  });

  it('API queries are empty without values', () => {
    assert.equal(queryString({}), '');
  });
});

describe('Link headers', () => {
  const next = 'https://example.com/api/v4/events?page=2&per_page=20';
  for (const [what, header, expected] of [
    ['one link', `<${next}>; rel="next"`, next],
    [
      'the right one of several',
      `<https://example.com/1>; rel="prev", <${next}>; rel="next", <https://example.com/9>; rel="last"`,
      next,
    ],
    ['a target with a comma', '<https://example.com/?a=1,2>; rel="next"', 'https://example.com/?a=1,2'],
    ['a title with comma and semicolon', `<${next}>; title="a, b; rel=prev"; rel="next"`, next],
    ['a relation without quotes', `<${next}>;rel=next`, next],
    ['several relations', `<${next}>; rel="start Next"`, next],
    ['no such relation', `<${next}>; rel="prev"`, undefined],
    ['an empty header', '', undefined],
    ['something else', 'next page please', undefined],
    ['no header', undefined, undefined],
  ] as const) {
    it(`Link headers are read with ${what}`, () => assert.equal(linkTo(header, 'next'), expected));
  }
});
