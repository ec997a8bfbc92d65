import type { ActivityEvent, PushData } from '../contract/activity.ts';

/** An event in words and signs, for a row. */
export interface EventWords {
  /** `Opened #12 Relay flickers` */
  readonly label: string;
  /** The same with nouns in place of signs, for a screen reader: `Opened issue 12: Relay flickers`. */
  readonly spoken: string;
  /** Id of a theme icon. */
  readonly icon: string;
  /** Id of a theme colour for it. */
  readonly color?: string;
}

/** What happened, in words and signs. Both dialects read the same: a push is told by its data, not by its action name. */
export function describeEvent(event: ActivityEvent): EventWords {
  if (event.push_data !== null) return describePush(event.push_data);
  if (event.note !== null) return describeNote(event);
  return describeTarget(event);
}

function describePush(push: PushData): EventWords {
  const isTag = push.ref_type === 'tag';
  const icon = push.action === 'removed' ? 'trash' : isTag ? 'tag' : push.action === 'created' ? 'git-branch' : 'repo-push';
  const verb = push.action === 'removed' ? 'Deleted' : push.action === 'created' ? 'Created' : 'Pushed to';
  if (push.ref === null) {
    const many = push.ref_count ?? 0;
    const label = many === 0 ? `${verb} ${isTag ? 'tags' : 'branches'}` : `${verb} ${counted(many, isTag ? 'tag' : 'branch')}`;
    return { label, spoken: label, icon };
  }
  const ref = `${push.ref_type} ${push.ref}`;
  const title = push.commit_title === null ? '' : `: ${push.commit_title}`;
  if (push.action === 'removed' || push.action === 'created' || isTag) {
    const label = `${verb} ${ref}`;
    return { label, spoken: label, icon };
  }
  const commits = push.commit_count > 1 ? `Pushed ${push.commit_count} commits to` : 'Pushed to';
  return { label: `${commits} ${push.ref}${title}`, spoken: `${commits} ${ref}${title}`, icon };
}

function describeNote({ note, target_title: title }: ActivityEvent): EventWords {
  const thing = nounOf(note?.noteable_type ?? '');
  const number = note?.noteable_iid ?? null;
  const words = title === null ? '' : ` ${title}`;
  const what =
    number === null
      ? `${thing.sign === '' ? thing.noun : `${article(thing.noun)} ${thing.noun}`}${words}`
      : `${thing.sign || `${thing.noun} `}${number}${words}`;
  return {
    label: `Commented on ${what}`,
    spoken: `Commented on ${thing.noun}${number === null ? '' : ` ${number}`}${title === null ? '' : `: ${title}`}`,
    icon: 'comment',
  };
}

function describeTarget({
  action_name: action,
  target_type: type,
  target_iid: iid,
  target_title: title,
}: ActivityEvent): EventWords {
  const verb = verbs[action] ?? sentence(action);
  const { icon, color } = iconOf(action, type);
  const sign = { icon, ...(color === undefined ? {} : { color }) };
  if (type === null || type === 'Project') {
    const label = title === null ? `${verb} the project` : `${verb} ${title}`;
    return { label, spoken: label, ...sign };
  }
  const thing = nounOf(type);
  const named = title === null ? '' : ` ${title}`;
  const hasNumber = iid !== null && thing.sign !== '';
  return {
    label: hasNumber ? `${verb} ${thing.sign}${iid}${named}` : `${verb} ${thing.noun}${named}`,
    spoken: `${verb} ${thing.noun}${hasNumber ? ` ${iid}` : ''}${title === null ? '' : `: ${title}`}`,
    ...sign,
  };
}

const verbs: Readonly<Record<string, string>> = {
  opened: 'Opened',
  closed: 'Closed',
  reopened: 'Reopened',
  accepted: 'Merged',
  approved: 'Approved',
  created: 'Created',
  updated: 'Updated',
  destroyed: 'Deleted',
  removed: 'Removed',
  joined: 'Joined',
  left: 'Left',
  imported: 'Imported',
  'removed due to membership expiration from': 'Membership ended in',
};

interface Noun {
  readonly noun: string;
  /** Stands before the number, as the platform itself writes it; empty for things that go without a number. */
  readonly sign: string;
}

function nounOf(type: string): Noun {
  switch (type) {
    case 'Issue':
      return { noun: 'issue', sign: '#' };
    case 'WorkItem':
      return { noun: 'work item', sign: '#' };
    case 'MergeRequest':
      return { noun: 'merge request', sign: '!' };
    case 'Epic':
      return { noun: 'epic', sign: '&' };
    case 'Snippet':
    case 'ProjectSnippet':
    case 'PersonalSnippet':
      return { noun: 'snippet', sign: '$' };
    case 'WikiPage::Meta':
      return { noun: 'wiki page', sign: '' };
    case 'DesignManagement::Design':
      return { noun: 'design', sign: '' };
    case '':
      return { noun: 'something', sign: '' };
    default:
      return { noun: type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(), sign: '' };
  }
}

function iconOf(action: string, type: string | null): { readonly icon: string; readonly color?: string } {
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

function counted(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : noun === 'branch' ? 'branches' : `${noun}s`}`;
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a';
}

/** An action nobody has told us of yet is shown as it is named. */
function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
