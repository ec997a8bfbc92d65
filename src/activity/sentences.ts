// Complete sentences for each action and target type: word order and inflection differ between languages, so sentences are not assembled
// from verbs and nouns. `who` is a username; without it, the author is known from the context.
import * as l10n from '@vscode/l10n';

/** `Opened milestone Spring`, `@ana opened milestone Spring`. */
export type Sentence = (name: string, who: string | undefined) => string;
/** `Opened #12 Relay flickers`, `@ana opened #12 Relay flickers`, from the reference and the title. */
export type NumberedSentence = (reference: string, title: string, who: string | undefined) => string;
/** `Opened issue 12: Relay flickers`. */
export type SpokenSentence = (number: string, title: string) => string;

/** Sentences by `action_name` of the API. */
type ByAction<S> = Readonly<Record<string, S>>;

/** Effect of a push on a branch or tag. */
export type PushAction = 'created' | 'removed' | 'pushed';
type ByPush<S> = Readonly<Record<'branch' | 'tag', Readonly<Record<PushAction, S>>>>;

const EXPIRED = 'removed due to membership expiration from';

/** Sentences for any named target. */
export const sentences: ByAction<Sentence> = {
  opened: (name, who) => (who === undefined ? l10n.t('Opened {0}', name) : l10n.t('@{0} opened {1}', who, name)),
  closed: (name, who) => (who === undefined ? l10n.t('Closed {0}', name) : l10n.t('@{0} closed {1}', who, name)),
  reopened: (name, who) => (who === undefined ? l10n.t('Reopened {0}', name) : l10n.t('@{0} reopened {1}', who, name)),
  accepted: (name, who) => (who === undefined ? l10n.t('Merged {0}', name) : l10n.t('@{0} merged {1}', who, name)),
  approved: (name, who) => (who === undefined ? l10n.t('Approved {0}', name) : l10n.t('@{0} approved {1}', who, name)),
  created: (name, who) => (who === undefined ? l10n.t('Created {0}', name) : l10n.t('@{0} created {1}', who, name)),
  updated: (name, who) => (who === undefined ? l10n.t('Updated {0}', name) : l10n.t('@{0} updated {1}', who, name)),
  destroyed: (name, who) => (who === undefined ? l10n.t('Deleted {0}', name) : l10n.t('@{0} deleted {1}', who, name)),
  removed: (name, who) => (who === undefined ? l10n.t('Removed {0}', name) : l10n.t('@{0} removed {1}', who, name)),
  joined: (name, who) => (who === undefined ? l10n.t('Joined {0}', name) : l10n.t('@{0} joined {1}', who, name)),
  left: (name, who) => (who === undefined ? l10n.t('Left {0}', name) : l10n.t('@{0} left {1}', who, name)),
  imported: (name, who) => (who === undefined ? l10n.t('Imported {0}', name) : l10n.t('@{0} imported {1}', who, name)),
  [EXPIRED]: (name, who) =>
    who === undefined ? l10n.t('Membership in {0} expired', name) : l10n.t('@{0}: membership in {1} expired', who, name),
  'commented on': (name, who) =>
    who === undefined ? l10n.t('Commented on {0}', name) : l10n.t('@{0} commented on {1}', who, name),
};

/** Sentences for a project that is not named. */
export const projectSentences: ByAction<(who: string | undefined) => string> = {
  created: (who) => (who === undefined ? l10n.t('Created the project') : l10n.t('@{0} created the project', who)),
  updated: (who) => (who === undefined ? l10n.t('Updated the project') : l10n.t('@{0} updated the project', who)),
  destroyed: (who) => (who === undefined ? l10n.t('Deleted the project') : l10n.t('@{0} deleted the project', who)),
  removed: (who) => (who === undefined ? l10n.t('Removed the project') : l10n.t('@{0} removed the project', who)),
  joined: (who) => (who === undefined ? l10n.t('Joined the project') : l10n.t('@{0} joined the project', who)),
  left: (who) => (who === undefined ? l10n.t('Left the project') : l10n.t('@{0} left the project', who)),
  imported: (who) => (who === undefined ? l10n.t('Imported the project') : l10n.t('@{0} imported the project', who)),
  [EXPIRED]: (who) =>
    who === undefined ? l10n.t('Project membership expired') : l10n.t('@{0}: project membership expired', who),
};

/** Sentences for numbered targets, whose type is shown by a symbol before the number. */
export const numberedSentences: ByAction<NumberedSentence> = {
  opened: (reference, title, who) =>
    who === undefined ? l10n.t('Opened {0} {1}', reference, title) : l10n.t('@{0} opened {1} {2}', who, reference, title),
  closed: (reference, title, who) =>
    who === undefined ? l10n.t('Closed {0} {1}', reference, title) : l10n.t('@{0} closed {1} {2}', who, reference, title),
  reopened: (reference, title, who) =>
    who === undefined ? l10n.t('Reopened {0} {1}', reference, title) : l10n.t('@{0} reopened {1} {2}', who, reference, title),
  accepted: (reference, title, who) =>
    who === undefined ? l10n.t('Merged {0} {1}', reference, title) : l10n.t('@{0} merged {1} {2}', who, reference, title),
  approved: (reference, title, who) =>
    who === undefined ? l10n.t('Approved {0} {1}', reference, title) : l10n.t('@{0} approved {1} {2}', who, reference, title),
  created: (reference, title, who) =>
    who === undefined ? l10n.t('Created {0} {1}', reference, title) : l10n.t('@{0} created {1} {2}', who, reference, title),
  updated: (reference, title, who) =>
    who === undefined ? l10n.t('Updated {0} {1}', reference, title) : l10n.t('@{0} updated {1} {2}', who, reference, title),
  destroyed: (reference, title, who) =>
    who === undefined ? l10n.t('Deleted {0} {1}', reference, title) : l10n.t('@{0} deleted {1} {2}', who, reference, title),
  'commented on': (reference, title, who) =>
    who === undefined
      ? l10n.t('Commented on {0} {1}', reference, title)
      : l10n.t('@{0} commented on {1} {2}', who, reference, title),
};

/** Sentences for screen readers, with nouns instead of symbols, by target type. */
export const spokenSentences: Readonly<Record<string, ByAction<SpokenSentence>>> = {
  Issue: {
    opened: (number, title) => l10n.t('Opened issue {0}: {1}', number, title),
    closed: (number, title) => l10n.t('Closed issue {0}: {1}', number, title),
    reopened: (number, title) => l10n.t('Reopened issue {0}: {1}', number, title),
    created: (number, title) => l10n.t('Created issue {0}: {1}', number, title),
    updated: (number, title) => l10n.t('Updated issue {0}: {1}', number, title),
    destroyed: (number, title) => l10n.t('Deleted issue {0}: {1}', number, title),
    'commented on': (number, title) => l10n.t('Commented on issue {0}: {1}', number, title),
  },
  WorkItem: {
    opened: (number, title) => l10n.t('Opened work item {0}: {1}', number, title),
    closed: (number, title) => l10n.t('Closed work item {0}: {1}', number, title),
    reopened: (number, title) => l10n.t('Reopened work item {0}: {1}', number, title),
    created: (number, title) => l10n.t('Created work item {0}: {1}', number, title),
    updated: (number, title) => l10n.t('Updated work item {0}: {1}', number, title),
    destroyed: (number, title) => l10n.t('Deleted work item {0}: {1}', number, title),
    'commented on': (number, title) => l10n.t('Commented on work item {0}: {1}', number, title),
  },
  MergeRequest: {
    opened: (number, title) => l10n.t('Opened merge request {0}: {1}', number, title),
    closed: (number, title) => l10n.t('Closed merge request {0}: {1}', number, title),
    reopened: (number, title) => l10n.t('Reopened merge request {0}: {1}', number, title),
    accepted: (number, title) => l10n.t('Merged merge request {0}: {1}', number, title),
    approved: (number, title) => l10n.t('Approved merge request {0}: {1}', number, title),
    created: (number, title) => l10n.t('Created merge request {0}: {1}', number, title),
    updated: (number, title) => l10n.t('Updated merge request {0}: {1}', number, title),
    destroyed: (number, title) => l10n.t('Deleted merge request {0}: {1}', number, title),
    'commented on': (number, title) => l10n.t('Commented on merge request {0}: {1}', number, title),
  },
  Epic: {
    opened: (number, title) => l10n.t('Opened epic {0}: {1}', number, title),
    closed: (number, title) => l10n.t('Closed epic {0}: {1}', number, title),
    reopened: (number, title) => l10n.t('Reopened epic {0}: {1}', number, title),
    created: (number, title) => l10n.t('Created epic {0}: {1}', number, title),
    updated: (number, title) => l10n.t('Updated epic {0}: {1}', number, title),
    destroyed: (number, title) => l10n.t('Deleted epic {0}: {1}', number, title),
    'commented on': (number, title) => l10n.t('Commented on epic {0}: {1}', number, title),
  },
};

interface NamedSentences {
  readonly label: ByAction<Sentence>;
  readonly spoken: ByAction<(name: string) => string>;
}

/** Sentences for named targets, by target type. */
export const namedSentences: Readonly<Record<string, NamedSentences>> = {
  Milestone: {
    label: {
      opened: (name, who) =>
        who === undefined ? l10n.t('Opened milestone {0}', name) : l10n.t('@{0} opened milestone {1}', who, name),
      closed: (name, who) =>
        who === undefined ? l10n.t('Closed milestone {0}', name) : l10n.t('@{0} closed milestone {1}', who, name),
      reopened: (name, who) =>
        who === undefined ? l10n.t('Reopened milestone {0}', name) : l10n.t('@{0} reopened milestone {1}', who, name),
      created: (name, who) =>
        who === undefined ? l10n.t('Created milestone {0}', name) : l10n.t('@{0} created milestone {1}', who, name),
      updated: (name, who) =>
        who === undefined ? l10n.t('Updated milestone {0}', name) : l10n.t('@{0} updated milestone {1}', who, name),
      destroyed: (name, who) =>
        who === undefined ? l10n.t('Deleted milestone {0}', name) : l10n.t('@{0} deleted milestone {1}', who, name),
    },
    spoken: {
      opened: (name) => l10n.t('Opened milestone: {0}', name),
      closed: (name) => l10n.t('Closed milestone: {0}', name),
      reopened: (name) => l10n.t('Reopened milestone: {0}', name),
      created: (name) => l10n.t('Created milestone: {0}', name),
      updated: (name) => l10n.t('Updated milestone: {0}', name),
      destroyed: (name) => l10n.t('Deleted milestone: {0}', name),
    },
  },
  Snippet: {
    label: {
      created: (name, who) =>
        who === undefined ? l10n.t('Created snippet {0}', name) : l10n.t('@{0} created snippet {1}', who, name),
      updated: (name, who) =>
        who === undefined ? l10n.t('Updated snippet {0}', name) : l10n.t('@{0} updated snippet {1}', who, name),
      destroyed: (name, who) =>
        who === undefined ? l10n.t('Deleted snippet {0}', name) : l10n.t('@{0} deleted snippet {1}', who, name),
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on snippet {0}', name) : l10n.t('@{0} commented on snippet {1}', who, name),
    },
    spoken: {
      created: (name) => l10n.t('Created snippet: {0}', name),
      updated: (name) => l10n.t('Updated snippet: {0}', name),
      destroyed: (name) => l10n.t('Deleted snippet: {0}', name),
      'commented on': (name) => l10n.t('Commented on snippet: {0}', name),
    },
  },
  'WikiPage::Meta': {
    label: {
      created: (name, who) =>
        who === undefined ? l10n.t('Created wiki page {0}', name) : l10n.t('@{0} created wiki page {1}', who, name),
      updated: (name, who) =>
        who === undefined ? l10n.t('Updated wiki page {0}', name) : l10n.t('@{0} updated wiki page {1}', who, name),
      destroyed: (name, who) =>
        who === undefined ? l10n.t('Deleted wiki page {0}', name) : l10n.t('@{0} deleted wiki page {1}', who, name),
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on wiki page {0}', name) : l10n.t('@{0} commented on wiki page {1}', who, name),
    },
    spoken: {
      created: (name) => l10n.t('Created wiki page: {0}', name),
      updated: (name) => l10n.t('Updated wiki page: {0}', name),
      destroyed: (name) => l10n.t('Deleted wiki page: {0}', name),
      'commented on': (name) => l10n.t('Commented on wiki page: {0}', name),
    },
  },
  'DesignManagement::Design': {
    label: {
      created: (name, who) =>
        who === undefined ? l10n.t('Created design {0}', name) : l10n.t('@{0} created design {1}', who, name),
      updated: (name, who) =>
        who === undefined ? l10n.t('Updated design {0}', name) : l10n.t('@{0} updated design {1}', who, name),
      destroyed: (name, who) =>
        who === undefined ? l10n.t('Deleted design {0}', name) : l10n.t('@{0} deleted design {1}', who, name),
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on design {0}', name) : l10n.t('@{0} commented on design {1}', who, name),
    },
    spoken: {
      created: (name) => l10n.t('Created design: {0}', name),
      updated: (name) => l10n.t('Updated design: {0}', name),
      destroyed: (name) => l10n.t('Deleted design: {0}', name),
      'commented on': (name) => l10n.t('Commented on design: {0}', name),
    },
  },
  Issue: {
    label: {
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on issue {0}', name) : l10n.t('@{0} commented on issue {1}', who, name),
    },
    spoken: { 'commented on': (name) => l10n.t('Commented on issue: {0}', name) },
  },
  WorkItem: {
    label: {
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on work item {0}', name) : l10n.t('@{0} commented on work item {1}', who, name),
    },
    spoken: { 'commented on': (name) => l10n.t('Commented on work item: {0}', name) },
  },
  MergeRequest: {
    label: {
      'commented on': (name, who) =>
        who === undefined
          ? l10n.t('Commented on merge request {0}', name)
          : l10n.t('@{0} commented on merge request {1}', who, name),
    },
    spoken: { 'commented on': (name) => l10n.t('Commented on merge request: {0}', name) },
  },
  Epic: {
    label: {
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on epic {0}', name) : l10n.t('@{0} commented on epic {1}', who, name),
    },
    spoken: { 'commented on': (name) => l10n.t('Commented on epic: {0}', name) },
  },
  Commit: {
    label: {
      'commented on': (name, who) =>
        who === undefined ? l10n.t('Commented on commit {0}', name) : l10n.t('@{0} commented on commit {1}', who, name),
    },
    spoken: { 'commented on': (name) => l10n.t('Commented on commit: {0}', name) },
  },
};

/** Sentences for a single branch or tag. */
export const refSentences: ByPush<Sentence> = {
  branch: {
    created: (name, who) =>
      who === undefined ? l10n.t('Created branch {0}', name) : l10n.t('@{0} created branch {1}', who, name),
    removed: (name, who) =>
      who === undefined ? l10n.t('Deleted branch {0}', name) : l10n.t('@{0} deleted branch {1}', who, name),
    pushed: (name, who) =>
      who === undefined ? l10n.t('Pushed to branch {0}', name) : l10n.t('@{0} pushed to branch {1}', who, name),
  },
  tag: {
    created: (name, who) => (who === undefined ? l10n.t('Created tag {0}', name) : l10n.t('@{0} created tag {1}', who, name)),
    removed: (name, who) => (who === undefined ? l10n.t('Deleted tag {0}', name) : l10n.t('@{0} deleted tag {1}', who, name)),
    pushed: (name, who) => (who === undefined ? l10n.t('Pushed to tag {0}', name) : l10n.t('@{0} pushed to tag {1}', who, name)),
  },
};

interface CountedSentences {
  /** Sentence for an unknown number. */
  readonly some: (who: string | undefined) => string;
  readonly one: (who: string | undefined) => string;
  readonly other: Sentence;
}

/** Sentences for several branches or tags in one push. */
export const bulkSentences: ByPush<CountedSentences> = {
  branch: {
    created: {
      some: (who) => (who === undefined ? l10n.t('Created branches') : l10n.t('@{0} created branches', who)),
      one: (who) => (who === undefined ? l10n.t('Created 1 branch') : l10n.t('@{0} created 1 branch', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Created {0} branches', count) : l10n.t('@{0} created {1} branches', who, count),
    },
    removed: {
      some: (who) => (who === undefined ? l10n.t('Deleted branches') : l10n.t('@{0} deleted branches', who)),
      one: (who) => (who === undefined ? l10n.t('Deleted 1 branch') : l10n.t('@{0} deleted 1 branch', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Deleted {0} branches', count) : l10n.t('@{0} deleted {1} branches', who, count),
    },
    pushed: {
      some: (who) => (who === undefined ? l10n.t('Pushed to branches') : l10n.t('@{0} pushed to branches', who)),
      one: (who) => (who === undefined ? l10n.t('Pushed to 1 branch') : l10n.t('@{0} pushed to 1 branch', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Pushed to {0} branches', count) : l10n.t('@{0} pushed to {1} branches', who, count),
    },
  },
  tag: {
    created: {
      some: (who) => (who === undefined ? l10n.t('Created tags') : l10n.t('@{0} created tags', who)),
      one: (who) => (who === undefined ? l10n.t('Created 1 tag') : l10n.t('@{0} created 1 tag', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Created {0} tags', count) : l10n.t('@{0} created {1} tags', who, count),
    },
    removed: {
      some: (who) => (who === undefined ? l10n.t('Deleted tags') : l10n.t('@{0} deleted tags', who)),
      one: (who) => (who === undefined ? l10n.t('Deleted 1 tag') : l10n.t('@{0} deleted 1 tag', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Deleted {0} tags', count) : l10n.t('@{0} deleted {1} tags', who, count),
    },
    pushed: {
      some: (who) => (who === undefined ? l10n.t('Pushed to tags') : l10n.t('@{0} pushed to tags', who)),
      one: (who) => (who === undefined ? l10n.t('Pushed to 1 tag') : l10n.t('@{0} pushed to 1 tag', who)),
      other: (count, who) =>
        who === undefined ? l10n.t('Pushed to {0} tags', count) : l10n.t('@{0} pushed to {1} tags', who, count),
    },
  },
};
