import assert from 'node:assert/strict';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { appearanceOf } from '../../../src/activity/appearance.ts';
import type { FeedState } from '../../../src/activity/model.ts';
import { stateWithText } from '../../../src/activity/search.ts';
import type { ActivityEvent } from '../../../src/contract/activity.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { event, noteEvent, pushEvent } from './events.ts';

const events = [
  event({ id: 4, target_title: 'Relay flickers' }),
  { ...noteEvent({ body: 'The fuse is BLOWN.' }), id: 3, target_title: 'Lamp 7' },
  { ...pushEvent('pushed', { commit_title: 'Tighten the coupling' }), id: 2 },
  event({ id: 1, project_id: 43, target_title: 'Points stick' }),
];
const feed = (all: readonly ActivityEvent[], next?: string): FeedState => ({
  ...{ kind: 'ready', events: all, next, at: 0, isCached: false, problem: undefined },
});
const context = { locale: 'en', pathOf: (project: number) => (project === 43 ? 'signals/yard' : 'signals/relay') };

describe('the text search of an activity view', () => {
  for (const [text, ids] of [
    ['relay flick', [4]],
    ['blown', [3]],
    ['coupling', [2]],
    ['yard', [1]],
    ['ANA NOVAK', [4, 3, 2, 1]],
    ['tram', []],
  ] as const)
    it(`the text search of an activity view finds “${text}” in the loaded events`, () => {
      const state = stateWithText(feed(events), text, context);
      assert.deepEqual(state.kind === 'ready' ? state.events.map(({ id }) => id) : state.kind, ids);
    });

  it('the text search of an activity view changes nothing without a text, or before events are loaded', () => {
    const state = feed(events);
    assert.equal(stateWithText(state, undefined, context), state);
    assert.deepEqual(stateWithText({ kind: 'loading' }, 'relay', context), { kind: 'loading' });
  });

  it('the text search of an activity view says that older events can be loaded if no loaded event matches', () => {
    const account = { id: 7, username: 'ana', name: 'Ana Novak' };
    const signedIn: ConnectionState = { instance: localInstance('data-1'), kind: 'signedIn', account, sessionId: 's' };
    const subject = { text: '@ana · “tram”', ifEmpty: 'emptyFiltered' } as const;
    const of = (state: FeedState) => appearanceOf(signedIn, state, subject, { now: 0, locale: 'en' });
    const message = 'No loaded event matches the filter. Load more to search older ones.';
    assert.deepEqual(of(feed([], 'older')), { state: 'ready', description: subject.text, message });
    assert.deepEqual(of(feed([])), { state: 'emptyFiltered', description: subject.text, message: '' });
  });
});
