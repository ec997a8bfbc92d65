import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { flowGrants, flowOutcomes } from '../../../src/contract/oauthFlows.ts';
import { flowRows } from '../../../src/oauthFlows/rows.ts';
import { textOfFlow } from '../../../src/oauthFlows/text.ts';
import { bracketedTexts, germanTexts, outsideBrackets, useLanguage } from '../../support/extension/language.ts';
import { flow, refused, step, summary } from './flows.ts';

const rowsOf = (flows: Parameters<typeof summary>[0][], opened = flow([])) =>
  flowRows({ kind: 'ready', flows: flows.map((changed) => summary(changed)), opened: new Map([[opened.id, opened]]) }, 'en');

describe('rows of OAuth flows', () => {
  it('show grant type, client and age, and the outcome as icon', () => {
    const [row] = rowsOf([{}]);
    assert.equal(row?.label, 'Authorization code with PKCE');
    assert.equal(row?.description, 'Harbour lamps · 2 minutes ago');
    assert.equal(row?.spoken, 'Authorization code with PKCE, Harbour lamps, completed, 2 minutes ago');
    assert.equal(row?.tooltip, 'Harbour lamps · Authorization code with PKCE · completed\n\nUser: @ada');
    const icons = flowOutcomes.map((outcome) => rowsOf([{ outcome }])[0]?.icon);
    assert.deepEqual(icons, ['clock', 'pass', 'error', 'history', 'circle-slash', 'debug-disconnect']);
  });

  it('stay the same for a minute, to avoid repaints', () => {
    assert.deepEqual(rowsOf([{ age_seconds: 1 }]), rowsOf([{ age_seconds: 59 }]));
    assert.equal(rowsOf([{ age_seconds: 59 }])[0]?.description, 'Harbour lamps · just now');
  });

  it('show unknown and missing clients', () => {
    const descriptions = rowsOf([
      { application: null, client_id: 'ffffffff… (64 characters)' },
      { application: null, client_id: null },
    ]);
    assert.deepEqual(
      descriptions.map(({ description }) => description),
      ['Unknown client ffffffff… (64 characters) · 2 minutes ago', 'No application · 2 minutes ago'],
    );
  });

  it('have a row for each step once expanded; a refused one shows the expected value', () => {
    const polls = step({ title: 'Poll', count: 4, verdict: 'waiting', result: 'Nobody has decided yet.' });
    const [row] = rowsOf([{}, { id: 'other' }], flow([polls, refused]));
    assert.deepEqual(
      row?.rows.map(({ label, description, icon }) => [label, description, icon]),
      [
        ['Poll', '4 times · Nobody has decided yet.', 'clock'],
        ['Code exchange', 'redirect_uri differs at character 3', 'error'],
      ],
    );
    assert.equal(
      row?.rows[1]?.tooltip,
      [
        'POST /oauth/token',
        'Refused with 400 invalid_grant.',
        'redirect_uri differs at character 3',
        'Sent: a:x',
        'Expected: a:y',
        '✓ the code was issued by this server\n✗ redirect_uri matches the authorization request',
      ].join('\n\n'),
    );
    assert.deepEqual(rowsOf([{}, { id: 'other' }], flow([refused]))[1]?.rows, []);
    const ids = rowsOf([{}, { id: 'other' }], flow([polls, refused])).flatMap((one) => [one.id, ...one.rows.map(({ id }) => id)]);
    assert.equal(new Set(ids).size, 4);
  });

  it('show the warning of a step that passed', () => {
    const warned = step({ title: 'Authorization request', warnings: ['The request has no state.'] });
    const [row] = rowsOf([{}], flow([warned]))[0]?.rows ?? [];
    assert.equal(row?.icon, 'warning');
    assert.equal(row?.description, 'The request has no state.');
    assert.match(row?.tooltip ?? '', /Issued: access_token\.\n\nThe request has no state\./);
    assert.equal(row?.spoken, 'Authorization request, warning, The request has no state.');
    assert.match(textOfFlow(flow([warned])), /Issued: access_token\.\n {3}⚠ The request has no state\.\n/);
  });

  it('are empty before the first response', () => {
    assert.deepEqual(flowRows({ kind: 'idle' }, 'en'), []);
    assert.deepEqual(flowRows({ kind: 'failed', problem: new Error('gone') }, 'en'), []);
  });
});

describe('an OAuth flow as text', () => {
  it('contains all details', () => {
    const text = textOfFlow(flow([step(), refused], { outcome: 'refused', steps_left_out: 3 }));
    assert.equal(
      text,
      `Harbour lamps · Authorization code with PKCE · refused
2030-01-01T12:00:00.000Z · @ada
(omitted steps: 3)

   1. Code exchange
   2030-01-01T12:00:01.000Z · POST /oauth/token · 200
   Issued: access_token.
   ✓ the code was issued by this server
     code: 64 characters

   2. Code exchange
   2030-01-01T12:00:01.000Z · POST /oauth/token · 400
   Refused with 400 invalid_grant.
   redirect_uri differs at character 3
   Sent: a:x
   Expected: a:y
   ✓ the code was issued by this server
   ✗ redirect_uri matches the authorization request
     code: 64 characters
`,
    );
  });
});

describe('OAuth flows in German', () => {
  useLanguage(germanTexts);
  it('show their outcome', () => {
    const [row] = rowsOf([{ grant: 'device_code', outcome: 'refused' }]);
    assert.equal(row?.spoken, 'Gerätecode, Harbour lamps, abgelehnt, 2 minutes ago');
  });
});

describe('OAuth flows in any language', () => {
  useLanguage(bracketedTexts);
  it('have translations for all texts', () => {
    for (const grant of flowGrants) {
      for (const outcome of flowOutcomes) {
        const row = rowsOf([{ grant, outcome, application: null, client_id: null, age_seconds: 0 }])[0];
        assert.equal(outsideBrackets(`${row?.label}${row?.description}${row?.spoken}`), ' · , , , ');
      }
    }
  });
});
