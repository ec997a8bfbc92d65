import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { DeprecatedCall } from '../../../src/contract/deprecatedCalls.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { type CallRow, callRows } from '../../../src/deprecations/rows.ts';
import { bracketedTexts, germanTexts, outsideBrackets, useLanguage } from '../../support/extension/language.ts';

const call = (changes: Partial<DeprecatedCall> = {}): DeprecatedCall => ({
  deprecation: 'password-grant',
  request: 'POST /oauth/token',
  username: 'ada',
  user_agent: 'lamp-board/1.0',
  application: null,
  count: 1,
  first_at: '2026-11-01T10:00:00Z',
  last_at: '2026-11-02T10:00:00Z',
  removed_in: '19.0',
  breaks: true,
  replacement: 'Use the device grant',
  web_url: 'http://127.0.0.1/help/deprecations/password-grant',
  ...changes,
});
const runners = (changes: Partial<DeprecatedCall> = {}): DeprecatedCall =>
  call({ deprecation: 'runner-registration', request: 'POST /api/v4/runners', removed_in: '20.0', ...changes });
const secrets = call({
  deprecation: 'pre-receive-secret-detection',
  request: 'PUT /api/v4/projects/:id',
  removed_in: null,
  breaks: false,
});

const rowsOf = (calls: readonly DeprecatedCall[], emulated?: Release): readonly CallRow[] =>
  callRows({ kind: 'ready', calls, release: '20.0' }, { emulated, locale: 'en' });
const outline = (rows: readonly CallRow[]): readonly unknown[] =>
  rows.map(({ label, description, rows: below }) => [label, description, ...outline(below)]);
const all = (rows: readonly CallRow[]): readonly CallRow[] => rows.flatMap((row) => [row, ...all(row.rows)]);

describe('rows of deprecated calls', () => {
  it('are grouped by the release that breaks them, the next one first, and end with what still works', () => {
    assert.deepEqual(outline(rowsOf([secrets, runners({ count: 2 }), call({ count: 3 })])), [
      [
        'Breaks in release 19.0',
        '3 calls',
        ['POST /oauth/token · password grant', 'lamp-board/1.0 · 3 calls', ['Use the device grant', '']],
      ],
      [
        'Breaks in release 20.0',
        '2 calls',
        ['POST /api/v4/runners · runner registration', 'lamp-board/1.0 · 2 calls', ['Use the device grant', '']],
      ],
      [
        'Still works in release 20.0',
        '1 call',
        ['PUT /api/v4/projects/:id · pre receive secret detection', 'lamp-board/1.0 · 1 call', ['Use the device grant', '']],
      ],
    ]);
  });

  it('put the requests of one deprecation next to each other', () => {
    const [group] = rowsOf([
      runners(),
      runners({ deprecation: 'runner-setup-queries', request: 'query' }),
      runners({ request: 'PUT /api/v4/runners' }),
    ]);
    assert.deepEqual(
      group?.rows.map(({ deprecation }) => deprecation),
      ['runner-registration', 'runner-registration', 'runner-setup-queries'],
    );
  });

  it('have a row for each client if there are several; the users of one client are one client', () => {
    const [row] =
      rowsOf([
        call({ username: null }),
        call({ count: 2 }),
        call({ user_agent: '', application: 'Harbour lamps' }),
        call({ user_agent: '', application: null }),
      ])[0]?.rows ?? [];
    assert.equal(row?.description, '3 clients · 5 calls');
    assert.deepEqual(outline(row?.rows ?? []).slice(1), [
      ['lamp-board/1.0', '3 calls'],
      ['Unnamed client (Harbour lamps)', '1 call'],
      ['Unnamed client', '1 call'],
    ]);
  });

  it('say in the tooltip when and for whom which client called, and what replaces the element', () => {
    const [row] =
      rowsOf([call({ username: null, first_at: '2026-10-30T10:00:00Z', last_at: '2026-10-31T10:00:00Z' }), call({ count: 2 })])[0]
        ?.rows ?? [];
    const [label, client, replacement] = (row?.tooltip ?? '').split('\n\n');
    assert.equal(label, 'POST /oauth/token · password grant');
    const [count, first, last, users] = (client ?? '').split('\n');
    assert.equal(count, 'lamp-board/1.0 · 3 calls');
    assert.match(first ?? '', /^First: Oct 30, 2026/);
    assert.match(last ?? '', /^Last: Nov 2, 2026/);
    assert.equal(users, 'User: anonymous, @ada');
    assert.equal(replacement, 'Replacement: Use the device grant');
  });

  it('are errors once the emulated release lacks the element, and warnings before', () => {
    const [warning] = rowsOf([call()], '18.11');
    assert.deepEqual([warning?.label, warning?.icon], ['Breaks in release 19.0', 'warning']);
    const [error] = rowsOf([call()], '19.0');
    assert.deepEqual([error?.label, error?.icon, error?.rows[0]?.icon], ['Broken since release 19.0', 'error', 'error']);
    assert.equal(error?.id, warning?.id);
  });

  it('show invisible characters of a user agent, and no time that the instance did not send', () => {
    const [row] = rowsOf([call({ user_agent: 'lamp\u202eboard', first_at: '' })])[0]?.rows ?? [];
    assert.ok(!row?.description.includes('\u202e') && !row?.tooltip.includes('\u202e'));
    assert.match(row?.tooltip ?? '', /First: \n/);
  });

  it('have ids of their own', () => {
    const ids = all(rowsOf([secrets, call(), call({ user_agent: 'b' }), runners()])).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  describe('in German', () => {
    useLanguage(germanTexts);

    it('are translated', () => {
      assert.deepEqual(outline(rowsOf([call({ count: 2 })], '20.0')), [
        [
          'Funktioniert seit Release 19.0 nicht mehr',
          '2 Aufrufe',
          ['POST /oauth/token · password grant', 'lamp-board/1.0 · 2 Aufrufe', ['Use the device grant', '']],
        ],
      ]);
    });
  });

  describe('in any language', () => {
    useLanguage(bracketedTexts);

    it('have no text of their own besides what the instance sends', () => {
      const [release, working] = rowsOf([call({ user_agent: '', count: 2 }), secrets]);
      for (const row of [release, working]) assert.equal(outsideBrackets(row?.label ?? ''), '');
      assert.equal(outsideBrackets(release?.rows[0]?.description ?? ''), ' · ');
    });
  });
});
