import assert from 'node:assert/strict';
import { defaultProfile, type Profile } from '../../../server/core/profile.ts';
import { DAY, HOUR, MINUTE } from '../../../server/core/clock.ts';
import { alertStatus, type FailureState, noFailures, stateAfter } from '../../../server/features/hooks/failures.ts';
import type { Outcome } from '../../../server/features/hooks/sendRequest.ts';

const responded = (status: number): Outcome => ({ kind: 'responded', status, headers: {}, body: '' });
const noResponse: Outcome = { kind: 'failed', error: 'ECONNREFUSED' };

/** Returns the states after each of so many failures. Each attempt happens when the hook is no longer disabled. */
function failures(count: number, outcome: Outcome, profile: Profile = defaultProfile): readonly FailureState[] {
  const states: FailureState[] = [];
  let state = noFailures;
  for (let failed = 0; failed < count; failed += 1) {
    state = stateAfter(state, outcome, state.disabled_until ?? 0, profile);
    states.push(state);
  }
  return states;
}

const statuses = (states: readonly FailureState[]): readonly string[] =>
  states.map((state) => alertStatus(state, (state.disabled_until ?? 1) - 1));

describe('failures of hooks', () => {
  for (const outcome of [noResponse, responded(400), responded(410), responded(429), responded(500), responded(503)]) {
    const name = outcome.kind === 'failed' ? 'a missing response' : `status ${outcome.status}`;
    it(`the fourth failure in a row with ${name} disables a hook for a minute, and the fortieth permanently`, () => {
      const states = statuses(failures(40, outcome));
      assert.deepEqual(states.slice(0, 3), ['executable', 'executable', 'executable']);
      assert.deepEqual([...new Set(states.slice(3, 39))], ['temporarily_disabled']);
      assert.equal(states[39], 'disabled');
    });
  }

  it('the time for which a hook is disabled doubles up to 24 hours', () => {
    const ends = failures(40, noResponse).map(({ disabled_until: until }) => until ?? 0);
    const times = ends.map((end, index) => end - (ends[index - 1] ?? 0)).slice(3, 39);
    const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((minutes) => minutes * MINUTE);
    assert.deepEqual(times.slice(0, 11), doubled);
    assert.deepEqual([...new Set(times.slice(11))], [DAY]);
  });

  it('a hook is disabled until its time, and not at it', () => {
    const [state = noFailures] = failures(4, noResponse).slice(-1);
    assert.deepEqual(state, { recent_failures: 4, disabled_until: MINUTE });
    assert.equal(alertStatus(state, MINUTE - 1), 'temporarily_disabled');
    assert.equal(alertStatus(state, MINUTE), 'executable');
  });

  for (const status of [200, 204, 301, 302, 307]) {
    it(`status ${status} is a success and forgets failures, also of a disabled hook`, () => {
      for (const state of failures(40, noResponse))
        assert.equal(stateAfter(state, responded(status), 0, defaultProfile), noFailures);
    });
  }

  it('a failure while the hook is disabled changes nothing', () => {
    for (const state of failures(40, noResponse).slice(3)) {
      assert.equal(stateAfter(state, noResponse, (state.disabled_until ?? 0) - HOUR, defaultProfile), state);
    }
  });

  it('before release 17.11, four client errors disable a hook permanently, and other failures never do', () => {
    const old: Profile = { ...defaultProfile, release: '17.10' };
    for (const status of [400, 404, 499]) {
      assert.deepEqual(statuses(failures(4, responded(status), old)), ['executable', 'executable', 'executable', 'disabled']);
    }
    for (const outcome of [noResponse, responded(500)]) {
      assert.deepEqual([...new Set(statuses(failures(100, outcome, old)).slice(3))], ['temporarily_disabled']);
    }
    const first: Profile = { ...defaultProfile, release: '17.11' };
    assert.equal(statuses(failures(4, responded(404), first))[3], 'temporarily_disabled');
  });
});
