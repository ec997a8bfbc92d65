import assert from 'node:assert/strict';
import { type Sources, sourceProblems } from '../../scripts/check-sources.ts';

const good: Sources = {
  page: '# The interface\n## REST\n### Pagination\nText.\n### Request credentials\nText.\n',
  keys: ['Pagination', 'Request credentials'],
  files: {
    'server/lists.ts': "route({ specRef: 'Pagination' });",
    'server/tokens.ts':
      '/** Reads the token (docs/interface.md#request-credentials, RFC 6750 §2). */\n// The description of an issue is text.',
  },
};

const problemsOf = (change: Partial<Sources>): string => sourceProblems({ ...good, ...change }).join('\n');
const commentProblems = (text: string): string => problemsOf({ files: { ...good.files, 'server/x.ts': text } });

describe('the check of citations in sources', () => {
  it('reports nothing if every heading is a key and is cited', () => {
    assert.equal(problemsOf({}), '');
  });

  for (const [name, change, expected] of [
    ['a key without a heading', { page: '### Pagination\n' }, /no heading "Request credentials"/],
    ['a heading that is not a key', { page: `${good.page}### Projects\n` }, /lacks the heading "Projects"/],
    [
      'a key that nothing uses',
      { files: { 'server/lists.ts': "specRef: 'Pagination'" } },
      /comment cites the heading "Request credentials"/,
    ],
  ] as const) {
    it(`reports ${name}`, () => {
      assert.match(problemsOf(change), expected);
    });
  }

  for (const text of [
    '// Pages are cut (docs/interface.md#pages).',
    '// Reads the token (oauth.md §2.3).',
    '// Keeps the latest (decisions.md §5).',
    "it('decisions 5: removes events', () => {});",
    "it('errors 6.3: lists errors', () => {});",
    '/** Cuts pages (description, Limits). */',
    "it('S38 refuses lists', () => {});",
    "it('other#499: searches stacks', () => {});",
    '// Sends 200 (§2.1).',
    ' * as the description says',
    '// The three feeds of the description.',
  ]) {
    it(`reports the line and the citation in ${text}`, () => {
      assert.match(commentProblems(text), /^server\/x\.ts:1: /);
    });
  }
});
