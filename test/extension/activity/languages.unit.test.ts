import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describeEvent } from '../../../src/activity/describe.ts';
import { germanTexts, useLanguage } from '../../support/extension/language.ts';
import { event, noteEvent, pushEvent } from './events.ts';

/** API name · English · German text of a row. */
const actions: readonly (readonly [name: string, english: string, german: string])[] = [
  ['opened', 'Opened', 'geöffnet'],
  ['closed', 'Closed', 'geschlossen'],
  ['reopened', 'Reopened', 'wieder geöffnet'],
  ['accepted', 'Merged', 'zusammengeführt'],
  ['approved', 'Approved', 'genehmigt'],
  ['created', 'Created', 'erstellt'],
  ['updated', 'Updated', 'aktualisiert'],
  ['destroyed', 'Deleted', 'gelöscht'],
  ['removed', 'Removed', 'entfernt'],
  ['joined', 'Joined', 'beigetreten'],
  ['left', 'Left', 'verlassen'],
  ['imported', 'Imported', 'importiert'],
];

/** API name · symbol before the number · English · German. */
const types: readonly (readonly [name: string, sign: string, english: string, german: string])[] = [
  ['Issue', '#', 'issue', 'Issue'],
  ['WorkItem', '#', 'work item', 'Arbeitselement'],
  ['MergeRequest', '!', 'merge request', 'Merge-Request'],
  ['Epic', '&', 'epic', 'Epic'],
  ['Snippet', '$', 'snippet', 'Snippet'],
  ['ProjectSnippet', '$', 'snippet', 'Snippet'],
  ['PersonalSnippet', '$', 'snippet', 'Snippet'],
  ['Milestone', '', 'milestone', 'Meilenstein'],
  ['WikiPage::Meta', '', 'wiki page', 'Wiki-Seite'],
  ['DesignManagement::Design', '', 'design', 'Design'],
];

const of = (action: string, type: string | null, iid: number | null, title: string | null) =>
  event({ action_name: action, target_type: type, target_iid: iid, target_title: title });
const small = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

describe('an event in English', () => {
  for (const [type, sign, noun] of types) {
    for (const [action, verb] of actions) {
      it(`the English text of an event describes ${type} ${action}, as label and for screen readers, with and without author`, () => {
        for (const title of ['Relay', null]) {
          const [named, spokenName] = title === null ? ['', ''] : [` ${title}`, `: ${title}`];
          const numbered = of(action, type, 12, title);
          const label = sign === '' ? `${verb} ${noun}${named}` : `${verb} ${sign}12${named}`;
          assert.equal(describeEvent(numbered, 'en').label, label);
          assert.equal(describeEvent(numbered, 'en', 'ana').label, `@ana ${small(label)}`);
          assert.equal(describeEvent(numbered, 'en', 'ana').spoken, `${verb} ${noun}${sign === '' ? '' : ' 12'}${spokenName}`);
          const plain = of(action, type, null, title);
          assert.equal(describeEvent(plain, 'en').label, `${verb} ${noun}${named}`);
          assert.equal(describeEvent(plain, 'en', 'ana').label, `@ana ${small(verb)} ${noun}${named}`);
          assert.equal(describeEvent(plain, 'en').spoken, `${verb} ${noun}${spokenName}`);
        }
      });
    }
  }

  for (const [action, verb] of actions) {
    it(`the English text of an event describes a project ${action}`, () => {
      for (const type of ['Project', null]) {
        assert.equal(describeEvent(of(action, type, null, null), 'en').label, `${verb} the project`);
        assert.equal(describeEvent(of(action, type, null, null), 'en', 'ana').label, `@ana ${small(verb)} the project`);
        assert.equal(describeEvent(of(action, type, null, 'Relay'), 'en').spoken, `${verb} Relay`);
      }
    });
  }

  it('the English text of an event shows unknown actions and types by their API names', () => {
    assert.equal(describeEvent(of('teleported', 'Issue', 12, 'Relay'), 'en').label, 'Teleported #12 Relay');
    assert.equal(
      describeEvent(of('teleported', 'FeatureFlag', 12, 'Relay'), 'en', 'ana').label,
      '@ana teleported feature flag Relay',
    );
    for (const name of ['constructor', 'toString', '__proto__']) {
      const { label, spoken } = describeEvent(of(name, name, 1, 'Relay'), 'en');
      assert.equal(
        label,
        `${name.charAt(0).toUpperCase()}${name.slice(1)} ${name.toLowerCase().replace('tostring', 'to string')} Relay`,
      );
      assert.equal(typeof spoken, 'string');
    }
  });

  it('the English text of an event formats numbers in the locale', () => {
    assert.equal(
      describeEvent(pushEvent('pushed', { commit_count: 1234 }), 'en').label,
      'Pushed 1,234 commits to main: Tighten the relay',
    );
  });
});

describe('an event in German', () => {
  useLanguage(germanTexts);

  for (const [type, sign, , noun] of types) {
    for (const [action, , verb] of actions) {
      it(`the German text of an event describes ${type} ${action}, with the action before the title`, () => {
        const description = describeEvent(of(action, type, 12, 'Relay'), 'de');
        const withAuthor = describeEvent(of(action, type, 12, 'Relay'), 'de', 'ana');
        for (const text of [description.label, description.spoken, withAuthor.label]) {
          assert.ok(text.toLowerCase().includes(verb), text);
          assert.ok(text.includes('Relay'), text);
          assert.doesNotMatch(text, /\{|\b(?:the|issue|request|item|page|to|opened|closed|deleted)\b/, text);
        }
        assert.ok(description.spoken.includes(noun), description.spoken);
        assert.equal(description.label.includes(`${sign}12`), sign !== '');
        assert.match(withAuthor.label, /^@ana (?:hat|ist) /);
      });
    }
  }

  const descriptions: readonly (readonly [ReturnType<typeof event>, label: string, labelWithAuthor: string, spoken: string])[] = [
    [event(), '#12 geöffnet: Relay flickers', '@ana hat #12 geöffnet: Relay flickers', 'Issue 12 geöffnet: Relay flickers'],
    [
      of('accepted', 'MergeRequest', 4, 'Relay'),
      '!4 zusammengeführt: Relay',
      '@ana hat !4 zusammengeführt: Relay',
      'Merge-Request 4 zusammengeführt: Relay',
    ],
    [
      of('opened', 'Milestone', 3, 'Frühling'),
      'Meilenstein „Frühling“ geöffnet',
      '@ana hat den Meilenstein „Frühling“ geöffnet',
      'Meilenstein geöffnet: Frühling',
    ],
    [of('joined', null, null, null), 'Dem Projekt beigetreten', '@ana ist dem Projekt beigetreten', 'Dem Projekt beigetreten'],
    [
      of('removed due to membership expiration from', null, null, null),
      'Projektmitgliedschaft abgelaufen',
      '@ana: Projektmitgliedschaft abgelaufen',
      'Projektmitgliedschaft abgelaufen',
    ],
    [
      noteEvent({}),
      '#12 kommentiert: Relay flickers',
      '@ana hat #12 kommentiert: Relay flickers',
      'Issue 12 kommentiert: Relay flickers',
    ],
    [
      noteEvent({ noteable_type: 'MergeRequest', noteable_iid: null }),
      'Merge-Request „Relay flickers“ kommentiert',
      '@ana hat den Merge-Request „Relay flickers“ kommentiert',
      'Merge-Request kommentiert: Relay flickers',
    ],
    [
      pushEvent('pushed to', { commit_count: 1234 }),
      '1.234 Commits nach main gepusht: Tighten the relay',
      '@ana hat 1.234 Commits nach main gepusht: Tighten the relay',
      '1.234 Commits in den Branch main gepusht: Tighten the relay',
    ],
    [
      pushEvent('pushed', {}),
      'Nach main gepusht: Tighten the relay',
      '@ana hat nach main gepusht: Tighten the relay',
      'In den Branch main gepusht: Tighten the relay',
    ],
    [
      pushEvent('pushed', { action: 'removed', ref_type: 'tag', ref: 'v1' }),
      'Tag v1 gelöscht',
      '@ana hat das Tag v1 gelöscht',
      'Tag v1 gelöscht',
    ],
    [
      pushEvent('pushed', { ref: null, ref_count: 12, commit_count: 0 }),
      'In 12 Branches gepusht',
      '@ana hat in 12 Branches gepusht',
      'In 12 Branches gepusht',
    ],
    [
      pushEvent('pushed', { ref: null, ref_count: 1, commit_count: 0, action: 'created' }),
      '1 Branch erstellt',
      '@ana hat 1 Branch erstellt',
      '1 Branch erstellt',
    ],
  ];
  for (const [subject, label, labelWithAuthor, spoken] of descriptions) {
    it(`the German text of an event is “${labelWithAuthor}”`, () => {
      const text = describeEvent(subject, 'de');
      assert.deepEqual([text.label, text.spoken], [label, spoken]);
      assert.equal(describeEvent(subject, 'de', 'ana').label, labelWithAuthor);
    });
  }

  it('the German text of an event shows unknown actions by their API names', () => {
    assert.equal(describeEvent(of('teleported to', null, null, null), 'de').label, 'Teleported to das Projekt');
    assert.equal(describeEvent(of('opened', 'FeatureFlag', 1, 'Amber'), 'de').label, 'Geöffnet: feature flag Amber');
  });
});
