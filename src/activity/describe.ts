import * as l10n from '@vscode/l10n';
import type { ActivityEvent, PushData } from '../contract/activity.ts';
import { visible } from '../contract/visibleText.ts';
import {
  bulkSentences,
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
    const sentence = many === 0 ? some : many === 1 ? one : (author?: string) => other(many.toLocaleString(locale), author);
    return { ...both(sentence, who), icon };
  }
  if (action !== 'pushed' || kind === 'tag') return { ...both((author) => refSentences[kind][action](ref, author), who), icon };
  const count = push.commit_count > 1 ? push.commit_count.toLocaleString(locale) : undefined;
  return { ...formatPushed(ref, push.commit_title, count, who), icon };
}

/** Returns the texts for commits pushed to a branch. `count` is undefined for a single commit. */
function formatPushed(
  ref: string,
  title: string | null,
  count: string | undefined,
  who: string | undefined,
): Pick<EventText, 'label' | 'spoken'> {
  if (count === undefined && title === null) {
    return {
      label: who === undefined ? l10n.t('Pushed to {0}', ref) : l10n.t('@{0} pushed to {1}', who, ref),
      spoken: l10n.t('Pushed to branch {0}', ref),
    };
  }
  if (count === undefined) {
    const text = title ?? '';
    return {
      label: who === undefined ? l10n.t('Pushed to {0}: {1}', ref, text) : l10n.t('@{0} pushed to {1}: {2}', who, ref, text),
      spoken: l10n.t('Pushed to branch {0}: {1}', ref, text),
    };
  }
  if (title === null) {
    return {
      label:
        who === undefined
          ? l10n.t('Pushed {0} commits to {1}', count, ref)
          : l10n.t('@{0} pushed {1} commits to {2}', who, count, ref),
      spoken: l10n.t('Pushed {0} commits to branch {1}', count, ref),
    };
  }
  return {
    label:
      who === undefined
        ? l10n.t('Pushed {0} commits to {1}: {2}', count, ref, title)
        : l10n.t('@{0} pushed {1} commits to {2}: {3}', who, count, ref, title),
    spoken: l10n.t('Pushed {0} commits to branch {1}: {2}', count, ref, title),
  };
}

/** Returns the texts for an action on a target: the sentence for its type and action if there is one, else that of the action. */
function describeTarget(
  action: string,
  type: string | null,
  iid: number | null,
  title: string | null,
  who: string | undefined,
): Pick<EventText, 'label' | 'spoken'> {
  const sentence = entry(sentences, action) ?? unknownAction(action);
  if (type === null || type === 'Project') {
    if (title !== null) return both((author) => sentence(title, author), who);
    return both((author) => entry(projectSentences, action)?.(author) ?? sentence(l10n.t('the project'), author), who);
  }
  const symbol = entry(symbols, type);
  if (symbol !== undefined && iid !== null) {
    const numbered = title === null ? undefined : entry(numberedSentences, action);
    const reference = `${symbol}${iid}`;
    return {
      label: numbered?.(reference, title ?? '', who) ?? sentence(title === null ? reference : `${reference} ${title}`, who),
      spoken:
        (title === null ? undefined : entry(entry(spokenSentences, type) ?? {}, action)?.(`${iid}`, title)) ??
        sentence(title === null ? `${nounOf(type)} ${iid}` : `${nounOf(type)} ${iid}: ${title}`, undefined),
    };
  }
  if (title === null) return both((author) => sentence(nounOf(type), author), who);
  const named = entry(namedSentences, type);
  return {
    label: entry(named?.label ?? {}, action)?.(title, who) ?? sentence(`${nounOf(type)} ${title}`, who),
    spoken: entry(named?.spoken ?? {}, action)?.(title) ?? sentence(`${nounOf(type)}: ${title}`, undefined),
  };
}

/** Returns an own property only: keys come from a server and may equal inherited names such as `constructor`. */
function entry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns the same sentence for label and screen reader; only the label names the author. */
function both(sentence: (who: string | undefined) => string, who: string | undefined): Pick<EventText, 'label' | 'spoken'> {
  return { label: sentence(who), spoken: sentence(undefined) };
}

/** Returns a sentence with the raw name of an unknown action. */
function unknownAction(action: string): Sentence {
  return (name, who) =>
    who === undefined ? `${action.charAt(0).toUpperCase()}${action.slice(1)} ${name}` : `@${who} ${action} ${name}`;
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

/** Returns the noun for a target type; an unknown type is split into lowercase words. */
function nounOf(type: string): string {
  switch (type) {
    case 'Issue':
      return l10n.t('issue');
    case 'WorkItem':
      return l10n.t('work item');
    case 'MergeRequest':
      return l10n.t('merge request');
    case 'Epic':
      return l10n.t('epic');
    case 'Milestone':
      return l10n.t('milestone');
    case 'Snippet':
    case 'ProjectSnippet':
    case 'PersonalSnippet':
      return l10n.t('snippet');
    case 'WikiPage::Meta':
      return l10n.t('wiki page');
    case 'DesignManagement::Design':
      return l10n.t('design');
    case 'Commit':
      return l10n.t('commit');
    case '':
      return l10n.t('item');
    default:
      return type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  }
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
