import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { defaultProfile } from '../../../src/contract/emulation.ts';
import { formatDetails } from '../../../src/instances/formatDetails.ts';
import { germanTexts, useLanguage } from '../../support/extension/language.ts';

const DAY = 86_400;
const stopped = { now: Date.UTC(2030, 0, 31, 14, 30), isFrozen: true, offset: 12 };
const moved = (offset: number) => ({ now: Date.UTC(2030, 0, 31), isFrozen: false, offset });

describe('lines about a server', () => {
  for (const [what, details, expected] of [
    ['a server of which nothing is known', {}, []],
    [
      'a local server',
      { address: 'http://127.0.0.1:4000', profile: defaultProfile },
      ['Address: http://127.0.0.1:4000', 'Emulated release: 18.11', 'Dialect: Documented'],
    ],
    [
      'a local server that emulates another platform',
      { profile: { ...defaultProfile, release: '16.4', dialect: 'observed' } },
      ['Emulated release: 16.4', 'Dialect: Observed'],
    ],
    ['a clock that is stopped', { movedClock: stopped }, ['Clock: stopped at 2030-01-31 14:30:00 UTC']],
    ['a clock that was advanced', { movedClock: moved(30 * DAY) }, ['Clock: 30 days ahead']],
    ['a clock that was advanced by several units', { movedClock: moved(DAY + 7_200 + 60) }, ['Clock: 1 day 2 hours ahead']],
    ['a clock that was moved back', { movedClock: moved(-90) }, ['Clock: 1 minute 30 seconds behind']],
    [
      'a remote instance',
      { address: 'https://gitlab.example.com', release: '17.5.2-ee' },
      ['Address: https://gitlab.example.com', 'Release: 17.5.2-ee'],
    ],
    [
      'a remote instance that does not say its release',
      { address: 'https://gitlab.example.com' },
      ['Address: https://gitlab.example.com'],
    ],
  ] as const)
    it(`lines about ${what} say what is known and nothing else`, () => {
      assert.deepEqual(formatDetails(details, 'en'), expected);
    });
});

describe('lines about a server in German', () => {
  useLanguage(germanTexts);

  it('lines about a server in German are translated, with their units', () => {
    assert.deepEqual(formatDetails({ profile: defaultProfile, movedClock: moved(30 * DAY) }, 'de'), [
      'Nachgebildetes Release: 18.11',
      'Dialekt: Dokumentiert',
      'Uhr: geht 30 Tage vor',
    ]);
    assert.deepEqual(formatDetails({ movedClock: stopped }, 'de'), ['Uhr: angehalten bei 2030-01-31 14:30:00 UTC']);
    assert.deepEqual(formatDetails({ movedClock: moved(-3_600) }, 'de'), ['Uhr: geht 1 Stunde nach']);
  });
});
