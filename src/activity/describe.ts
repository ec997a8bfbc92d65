import * as l10n from '@vscode/l10n';
import type { ActivityEvent, PushData } from '../contract/activity.ts';
import { visible } from '../contract/visibleText.ts';
import { formatText, type Text, texts } from '../support/texts.ts';
import {
  bulkSentences,
  commitSentences,
  formatSentence,
  namedSentences,
  numberedSentences,
  projectSentences,
  type PushAction,
  refSentences,
  type Sentence,
  sentences,
  spokenSentences,
} from './sentences.ts';

/** Text and icon of an event, for a row. */
export interface EventText {
  /** `Opened #12 Relay flickers`, or `@ana opened #12 Relay flickers`. */
  readonly label: string;
  /** Text for screen readers, with nouns instead of symbols: `Opened issue 12: Relay flickers`. It never names the author. */
  readonly spoken: string;
  /** Theme icon id. */
  readonly icon: string;
  /** Theme color id of the icon. */
  readonly color?: string;
}

type EventWords = Pick<EventText, 'label' | 'spoken'>;

/**
 * Returns text and icon of an event. Pushes are recognized by their data, not by their action name, so both dialects give the same text.
 * `locale` is the language tag for numbers. The label starts with the username `who` if it is given. Invisible characters are shown as
 * their code points.
 */
export function describeEvent(event: ActivityEvent, locale: string, who?: string): EventText {
  const text = eventTextOf(event, locale, who);
  return { ...text, label: visible(text.label), spoken: visible(text.spoken) };
}

function eventTextOf(event: ActivityEvent, locale: string, who: string | undefined): EventText {
  if (event.push_data !== null) return describePush(event.push_data, locale, who);
  const { note, target_title: title } = event;
  if (note === null)
    return { ...describeTarget(event.action_name, event.target_type, event.target_iid, title, who), ...iconOf(event) };
  return { ...describeTarget('commented on', note.noteable_type, note.noteable_iid, title, who), icon: 'comment' };
}

function describePush(push: PushData, locale: string, who: string | undefined): EventText {
  const kind = push.ref_type === 'tag' ? 'tag' : 'branch';
  const action: PushAction = push.action === 'removed' || push.action === 'created' ? push.action : 'pushed';
  const icon = action === 'removed' ? 'trash' : kind === 'tag' ? 'tag' : action === 'created' ? 'git-branch' : 'repo-push';
  const { ref } = push;
  if (ref === null) {
    const { some, one, other } = bulkSentences[kind][action];
    const many = push.ref_count ?? 0;
    return { ...both(many === 0 ? some : many === 1 ? one : other, who, many.toLocaleString(locale)), icon };
  }
  if (action !== 'pushed' || kind === 'tag') return { ...both(refSentences[kind][action], who, ref), icon };
  const count = push.commit_count > 1 ? push.commit_count.toLocaleString(locale) : undefined;
  return { ...formatPushed(ref, push.commit_title, count, who), icon };
}

/** Returns the texts for commits pushed to a branch. `count` is undefined for a single commit. */
function formatPushed(ref: string, title: string | null, count: string | undefined, who: string | undefined): EventWords {
  const isTitled = title !== null;
  const key = count === undefined ? (isTitled ? 'refAndTitle' : 'ref') : isTitled ? 'countRefAndTitle' : 'countAndRef';
  const { label, spoken } = commitSentences[key];
  const values = [count, ref, title].filter((value) => typeof value === 'string');
  return { label: formatSentence(label, who, ...values), spoken: formatText(spoken, ...values) };
}

/** Returns the texts for an action on a target: the sentence for its type and action if there is one, else that of the action. */
function describeTarget(
  action: string,
  type: string | null,
  iid: number | null,
  title: string | null,
  who: string | undefined,
): EventWords {
  const sentence = entry(sentences, action);
  const format = (name: string, author: string | undefined): string =>
    sentence === undefined ? unknownAction(action, name, author) : formatSentence(sentence, author, name);
  if (type === null || type === 'Project') {
    const ofProject = title === null ? entry(projectSentences, action) : undefined;
    if (ofProject !== undefined) return both(ofProject, who);
    const name = title ?? l10n.t('the project');
    return { label: format(name, who), spoken: format(name, undefined) };
  }
  const noun = nounOf(type);
  const symbol = entry(symbols, type);
  if (symbol !== undefined && iid !== null) {
    const reference = `${symbol}${iid}`;
    if (title === null) return { label: format(reference, who), spoken: format(`${noun} ${iid}`, undefined) };
    const numbered = entry(numberedSentences, action);
    const spoken = entry(entry(spokenSentences, type) ?? {}, action);
    return {
      label: numbered === undefined ? format(`${reference} ${title}`, who) : formatSentence(numbered, who, reference, title),
      spoken: spoken === undefined ? format(`${noun} ${iid}: ${title}`, undefined) : formatText(spoken, `${iid}`, title),
    };
  }
  if (title === null) return { label: format(noun, who), spoken: format(noun, undefined) };
  const named = entry(namedSentences, type);
  const label = entry(named?.label ?? {}, action);
  const spoken = entry(named?.spoken ?? {}, action);
  return {
    label: label === undefined ? format(`${noun} ${title}`, who) : formatSentence(label, who, title),
    spoken: spoken === undefined ? format(`${noun}: ${title}`, undefined) : formatText(spoken, title),
  };
}

/** Returns an own property only: keys come from a server and may equal inherited names such as `constructor`. */
function entry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns the same sentence for label and screen reader; only the label names the author. */
function both(sentence: Sentence, who: string | undefined, ...values: readonly string[]): EventWords {
  return { label: formatSentence(sentence, who, ...values), spoken: formatSentence(sentence, undefined, ...values) };
}

/** Returns a sentence with the raw name of an unknown action. */
function unknownAction(action: string, name: string, who: string | undefined): string {
  return who === undefined ? `${action.charAt(0).toUpperCase()}${action.slice(1)} ${name}` : `@${who} ${action} ${name}`;
}

/** Symbol before the number of a reference, as GitLab writes it. Types that are not listed have no number. */
const symbols: Readonly<Record<string, string>> = {
  Issue: '#',
  WorkItem: '#',
  MergeRequest: '!',
  Epic: '&',
  Snippet: '$',
  ProjectSnippet: '$',
  PersonalSnippet: '$',
};

/** Nouns for target types. */
const nouns: Readonly<Record<string, Text>> = texts({
  Issue: 'issue',
  WorkItem: 'work item',
  MergeRequest: 'merge request',
  Epic: 'epic',
  Milestone: 'milestone',
  Snippet: 'snippet',
  ProjectSnippet: 'snippet',
  PersonalSnippet: 'snippet',
  'WikiPage::Meta': 'wiki page',
  'DesignManagement::Design': 'design',
  Commit: 'commit',
  '': 'item',
});

/** Returns the noun for a target type; an unknown type is split into lowercase words. */
function nounOf(type: string): string {
  const noun = entry(nouns, type);
  return noun === undefined ? type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() : formatText(noun);
}

function iconOf({ action_name: action, target_type: type }: ActivityEvent): Pick<EventText, 'icon' | 'color'> {
  const isMergeRequest = type === 'MergeRequest';
  switch (action) {
    case 'opened':
    case 'reopened':
      if (isMergeRequest) return { icon: 'git-pull-request', color: 'charts.green' };
      return type === 'Milestone' ? { icon: 'milestone' } : { icon: 'issues', color: 'charts.green' };
    case 'closed':
      if (isMergeRequest) return { icon: 'git-pull-request-closed', color: 'charts.red' };
      return type === 'Milestone' ? { icon: 'milestone' } : { icon: 'pass', color: 'charts.purple' };
    case 'accepted':
      return { icon: 'git-merge', color: 'charts.purple' };
    case 'approved':
      return { icon: 'check', color: 'charts.green' };
    case 'joined':
      return { icon: 'person-add' };
    case 'left':
    case 'removed due to membership expiration from':
      return { icon: 'sign-out' };
    case 'created':
    case 'imported':
      return { icon: 'repo' };
    case 'destroyed':
    case 'removed':
      return { icon: 'trash' };
    case 'updated':
      return { icon: 'edit' };
    default:
      return { icon: 'circle-small-filled' };
  }
}
