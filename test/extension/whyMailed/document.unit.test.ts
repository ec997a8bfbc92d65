import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  type NotificationEventBasic,
  type RecipientDecision,
  recipientRules,
  recipientTypes,
  type Remedy,
  ruleOutcomes,
  simpleRemedies,
} from '../../../src/contract/notificationDecisions.ts';
import { notificationEvents, type SettingScope } from '../../../src/contract/notifications.ts';
import { decisionDocument, settingsDocument, type Subject } from '../../../src/whyMailed/document.ts';
import { eventGroups, eventOfActivity, threadTypesOf } from '../../../src/whyMailed/events.ts';
import { explainSettings } from '../../../src/whyMailed/explanation.ts';
import { parametersOf, readQuestion, type MailQuestion } from '../../../src/whyMailed/question.ts';
import { remedySentence, ruleSentence, verdictOf, verdictOfReach } from '../../../src/whyMailed/sentences.ts';
import { event as activity } from '../activity/events.ts';
import { bracketedTexts, outsideBrackets, useLanguage } from '../../support/extension/language.ts';

const scopes: readonly SettingScope[] = [
  { kind: 'global', id: 0, path: '' },
  { kind: 'group', id: 3, path: 'harbor' },
  { kind: 'project', id: 9, path: 'harbor/lamps' },
];
const [globalScope, , projectScope] = scopes;
assert.ok(globalScope !== undefined && projectScope !== undefined);

const decision: RecipientDecision = {
  user: { id: 2, username: 'ada', name: 'Ada', state: 'active', avatar_url: null, web_url: '' },
  event: 'new_note',
  relations: [
    { type: 'participating', reason: null },
    { type: 'mention', reason: 'mentioned' },
  ],
  setting: { level: 'participating', scope: globalScope },
  rules: [
    { rule: 'candidate', outcome: 'passed', text: 'The user takes part in the thread.' },
    { rule: 'active', outcome: 'passed', text: 'The account is active.' },
    { rule: 'level', outcome: 'mailed', text: 'Level participating lets new_note through.' },
  ],
  mailed: true,
  reason: 'mentioned',
  text: 'The user is mailed.',
  remedies: [
    { kind: 'set_level', scope: projectScope, level: 'disabled', text: '' },
    { kind: 'unsubscribe', text: '' },
  ],
  mail_id: 7,
};
const subject: Subject = {
  path: 'harbor/lamps',
  thread: { type: 'Issue', iid: 1 },
  title: 'Too dim',
  page: 'http://127.0.0.1/-/notifications/why/5',
};
const happened: NotificationEventBasic = {
  id: 5,
  event: 'new_note',
  status: 'decided',
  actor: { id: 3, username: 'rita', name: 'Rita Reed', state: 'active', avatar_url: null, web_url: '' },
  project_id: 9,
  group_id: null,
  target_type: 'Issue',
  target_id: 41,
  target_iid: 1,
  target_title: 'Too dim',
  created_at: '2026-11-20T14:05:00.000Z',
  web_url: 'http://127.0.0.1/-/notifications/why/5',
};

describe('the document that explains a mail', () => {
  it('begins with the verdict and lists the rules in order, the setting that applies, and what would change it', () => {
    const { text, remedies } = decisionDocument(decision, subject, happened, 'en');
    const lines = text.split('\n');
    assert.equal(lines[0], '# Why was I mailed?');
    assert.equal(lines[2], '**You were mailed because you were mentioned.**');
    assert.ok(
      text.includes('- Event: New comment\n- Project: harbor/lamps\n- About: #1 Too dim\n- Caused by: Rita Reed (@rita)'),
      text,
    );
    assert.ok(text.includes('- Level that applies: Participating, from your global setting'), text);
    assert.ok(
      text.includes(
        '1. ✓ You take part in the thread. You are mentioned.\n2. ✓ Your account is active.\n3. ✓ Level “Participating” of your global setting lets “New comment” through.',
      ),
      text,
    );
    assert.deepEqual(
      remedies.map(({ line }) => lines[line]),
      ['- Set the level of project harbor/lamps to “Disabled”', '- Unsubscribe from the thread'],
    );
  });

  it('names the rule that refused behind the verdict', () => {
    const refused: RecipientDecision = {
      ...decision,
      mailed: false,
      reason: null,
      rules: [...decision.rules.slice(0, 2), { rule: 'subscription', outcome: 'refused', text: '' }],
    };
    const { text } = decisionDocument(refused, subject, undefined, 'en');
    assert.match(text, /^# Would I be mailed\?\n\n\*\*You would not be mailed\.\*\* You unsubscribed from the thread\.\n/);
    assert.match(text, /\n3\. ✗ You unsubscribed/);
    assert.match(decisionDocument(refused, subject, happened, 'en').text, /^# Why was I not mailed\?/);
  });

  it('shows a title as one line that cannot add a heading', () => {
    const { text } = decisionDocument(decision, { ...subject, title: 'a\n# b' }, undefined, 'en');
    assert.ok(text.includes('- About: #1 a # b\n'), text);
  });

  it('shows the settings in order on an instance that does not explain its mails, and says so', () => {
    const own = { level: 'global', switches: {}, scope: projectScope } as const;
    const account = { level: 'mention', switches: {}, scope: globalScope } as const;
    const explanation = explainSettings('new_note', [own, account], [{ type: 'participating', reason: null }]);
    const { text, remedies } = settingsDocument(explanation, subject);
    assert.match(
      text,
      /^# Would I be mailed\?\n\n\*\*You would be mailed only if you were mentioned\.\*\*\n\nThis instance does not/,
    );
    assert.match(text, /local server only\./);
    assert.ok(text.includes('1. Project harbor/lamps: Inherited\n2. ✓ Global setting: On Mention'), text);
    assert.ok(text.includes('- You take part in the thread.\n'), text);
    assert.deepEqual(
      remedies.map(({ sentence }) => sentence),
      ['Set the level of project harbor/lamps to “Participating”', 'Subscribe to the thread'],
    );
  });
});

describe('the sentences about mails', () => {
  it('exist for every rule, outcome and relation, and are different for different outcomes', () => {
    for (const rule of recipientRules) {
      const refused = ruleSentence({ rule, outcome: 'refused', text: '' }, decision);
      for (const outcome of ruleOutcomes) {
        const sentence = ruleSentence({ rule, outcome, text: '' }, decision);
        assert.match(sentence, /^[A-Z].*\.$/);
        if (outcome !== 'refused') assert.notEqual(sentence, refused);
      }
    }
    for (const type of recipientTypes) {
      for (const reason of [null, 'assigned', 'review_requested', 'mentioned', 'subscribed']) {
        const related = { ...decision, relations: [{ type, reason }] };
        assert.match(ruleSentence({ rule: 'candidate', outcome: 'passed', text: '' }, related), /^You.*\.$/);
      }
    }
    const verdicts = [null, 'own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed'].flatMap((reason) => [
      verdictOf({ mailed: true, reason }, true),
      verdictOf({ mailed: true, reason }, false),
    ]);
    assert.equal(new Set(verdicts).size, verdicts.length);
  });

  describe('in another language', () => {
    useLanguage(bracketedTexts);
    it('are translated as a whole', () => {
      const setting = (scope: SettingScope) => ({ ...decision, setting: { level: 'watch' as const, scope } });
      const simple = simpleRemedies.map((kind): Remedy => ({ kind, text: '' }));
      const texts = [
        ...scopes.flatMap((scope) => [
          ruleSentence({ rule: 'level', outcome: 'mailed', text: '' }, setting(scope)),
          remedySentence({ kind: 'set_level', scope, level: 'watch', text: '' }, true),
          remedySentence({ kind: 'set_event', scope, event: 'new_note', value: true, text: '' }, true),
          remedySentence({ kind: 'set_event', scope, event: 'new_note', value: false, text: '' }, true),
        ]),
        ...simple.flatMap((remedy) => [remedySentence(remedy, true), remedySentence(remedy, false)]),
        ...notificationEvents.flatMap((event) => [verdictOfReach(event, 'always'), verdictOfReach(event, 'never')]),
      ];
      for (const text of texts) assert.equal(outsideBrackets(text).trim(), '', text);
    });
  });
});

describe('the questions about mails', () => {
  const questions: readonly MailQuestion[] = [
    { kind: 'happened', id: 5 },
    { kind: 'possible', event: 'new_note', project: 9, thread: { type: 'MergeRequest', iid: 3 } },
    { kind: 'possible', event: 'new_release', project: 'harbor/lamps', thread: undefined },
  ];
  for (const question of questions) {
    it(`survive in the address of a document: ${JSON.stringify(question)}`, () => {
      assert.deepEqual(readQuestion(new URLSearchParams(parametersOf(question))), question);
    });
  }

  it('are not read from other addresses', () => {
    for (const query of ['', 'event=new_note', 'event=nothing&project=1', 'id=-1', 'id=1e9'])
      assert.equal(readQuestion(new URLSearchParams(query)), undefined, query);
  });

  it('offer every event of a project once, and for a thread only those that can happen to it', () => {
    const all = eventGroups(undefined).flatMap(({ events }) => events);
    assert.deepEqual(all.toSorted(), notificationEvents.filter((one) => one !== 'new_epic').toSorted());
    const ofIssue = eventGroups({ type: 'Issue', iid: 1 }).flatMap(({ events }) => events);
    assert.ok(ofIssue.includes('new_note') && ofIssue.includes('close_issue'));
    assert.ok(!ofIssue.includes('merge_merge_request') && !ofIssue.includes('failed_pipeline'));
    assert.deepEqual(threadTypesOf('new_note'), ['Issue', 'MergeRequest']);
    assert.deepEqual(threadTypesOf('new_issue'), []);
    assert.deepEqual(threadTypesOf('failed_pipeline'), []);
  });

  it('know the notification event of an activity event', () => {
    assert.equal(eventOfActivity(activity({ action_name: 'opened', target_type: 'Issue' })), 'new_issue');
    assert.equal(eventOfActivity(activity({ action_name: 'accepted', target_type: 'MergeRequest' })), 'merge_merge_request');
    assert.equal(eventOfActivity(activity({ action_name: 'approved', target_type: 'MergeRequest' })), undefined);
    assert.equal(eventOfActivity(activity({ action_name: 'opened', target_type: 'Milestone' })), undefined);
  });
});
