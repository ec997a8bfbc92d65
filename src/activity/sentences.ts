// Complete sentences for each action and target type: word order and inflection differ between languages, so sentences are not assembled
// from verbs and nouns.
import { formatText, type Text, texts } from '../support/texts.ts';

/** Sentence without its author, who is known from the context, and with the username of the author as `{0}` before the other values. */
export type Sentence = readonly [withoutAuthor: Text, withAuthor: Text];

/** Returns a sentence; with its author if `who` is given. */
export function formatSentence(
  [withoutAuthor, withAuthor]: Sentence,
  who: string | undefined,
  ...values: readonly string[]
): string {
  return who === undefined ? formatText(withoutAuthor, ...values) : formatText(withAuthor, who, ...values);
}

/** Sentences by `action_name` of the API. */
type ByAction<S> = Readonly<Record<string, S>>;

/** Effect of a push on a branch or tag. */
export type PushAction = 'created' | 'removed' | 'pushed';
type ByPush<S> = Readonly<Record<'branch' | 'tag', Readonly<Record<PushAction, S>>>>;

const EXPIRED = 'removed due to membership expiration from';

/** Sentences for any named target. */
export const sentences: ByAction<Sentence> = texts({
  opened: ['Opened {0}', '@{0} opened {1}'],
  closed: ['Closed {0}', '@{0} closed {1}'],
  reopened: ['Reopened {0}', '@{0} reopened {1}'],
  accepted: ['Merged {0}', '@{0} merged {1}'],
  approved: ['Approved {0}', '@{0} approved {1}'],
  created: ['Created {0}', '@{0} created {1}'],
  updated: ['Updated {0}', '@{0} updated {1}'],
  destroyed: ['Deleted {0}', '@{0} deleted {1}'],
  removed: ['Removed {0}', '@{0} removed {1}'],
  joined: ['Joined {0}', '@{0} joined {1}'],
  left: ['Left {0}', '@{0} left {1}'],
  imported: ['Imported {0}', '@{0} imported {1}'],
  [EXPIRED]: ['Membership in {0} expired', '@{0}: membership in {1} expired'],
  'commented on': ['Commented on {0}', '@{0} commented on {1}'],
});

/** Sentences for a project that is not named. */
export const projectSentences: ByAction<Sentence> = texts({
  created: ['Created the project', '@{0} created the project'],
  updated: ['Updated the project', '@{0} updated the project'],
  destroyed: ['Deleted the project', '@{0} deleted the project'],
  removed: ['Removed the project', '@{0} removed the project'],
  joined: ['Joined the project', '@{0} joined the project'],
  left: ['Left the project', '@{0} left the project'],
  imported: ['Imported the project', '@{0} imported the project'],
  [EXPIRED]: ['Project membership expired', '@{0}: project membership expired'],
});

/** Sentences for numbered targets, with reference and title: `Opened #12 Relay flickers`. The type is shown by a symbol before the number. */
export const numberedSentences: ByAction<Sentence> = texts({
  opened: ['Opened {0} {1}', '@{0} opened {1} {2}'],
  closed: ['Closed {0} {1}', '@{0} closed {1} {2}'],
  reopened: ['Reopened {0} {1}', '@{0} reopened {1} {2}'],
  accepted: ['Merged {0} {1}', '@{0} merged {1} {2}'],
  approved: ['Approved {0} {1}', '@{0} approved {1} {2}'],
  created: ['Created {0} {1}', '@{0} created {1} {2}'],
  updated: ['Updated {0} {1}', '@{0} updated {1} {2}'],
  destroyed: ['Deleted {0} {1}', '@{0} deleted {1} {2}'],
  'commented on': ['Commented on {0} {1}', '@{0} commented on {1} {2}'],
});

/** Sentences for screen readers, with nouns instead of symbols, by target type; with number and title: `Opened issue 12: Relay flickers`. */
export const spokenSentences: Readonly<Record<string, ByAction<Text>>> = texts({
  Issue: {
    opened: 'Opened issue {0}: {1}',
    closed: 'Closed issue {0}: {1}',
    reopened: 'Reopened issue {0}: {1}',
    created: 'Created issue {0}: {1}',
    updated: 'Updated issue {0}: {1}',
    destroyed: 'Deleted issue {0}: {1}',
    'commented on': 'Commented on issue {0}: {1}',
  },
  WorkItem: {
    opened: 'Opened work item {0}: {1}',
    closed: 'Closed work item {0}: {1}',
    reopened: 'Reopened work item {0}: {1}',
    created: 'Created work item {0}: {1}',
    updated: 'Updated work item {0}: {1}',
    destroyed: 'Deleted work item {0}: {1}',
    'commented on': 'Commented on work item {0}: {1}',
  },
  MergeRequest: {
    opened: 'Opened merge request {0}: {1}',
    closed: 'Closed merge request {0}: {1}',
    reopened: 'Reopened merge request {0}: {1}',
    accepted: 'Merged merge request {0}: {1}',
    approved: 'Approved merge request {0}: {1}',
    created: 'Created merge request {0}: {1}',
    updated: 'Updated merge request {0}: {1}',
    destroyed: 'Deleted merge request {0}: {1}',
    'commented on': 'Commented on merge request {0}: {1}',
  },
  Epic: {
    opened: 'Opened epic {0}: {1}',
    closed: 'Closed epic {0}: {1}',
    reopened: 'Reopened epic {0}: {1}',
    created: 'Created epic {0}: {1}',
    updated: 'Updated epic {0}: {1}',
    destroyed: 'Deleted epic {0}: {1}',
    'commented on': 'Commented on epic {0}: {1}',
  },
});

interface NamedSentences {
  readonly label: ByAction<Sentence>;
  readonly spoken: ByAction<Text>;
}

/** Sentences for named targets, by target type. */
export const namedSentences: Readonly<Record<string, NamedSentences>> = texts({
  Milestone: {
    label: {
      opened: ['Opened milestone {0}', '@{0} opened milestone {1}'],
      closed: ['Closed milestone {0}', '@{0} closed milestone {1}'],
      reopened: ['Reopened milestone {0}', '@{0} reopened milestone {1}'],
      created: ['Created milestone {0}', '@{0} created milestone {1}'],
      updated: ['Updated milestone {0}', '@{0} updated milestone {1}'],
      destroyed: ['Deleted milestone {0}', '@{0} deleted milestone {1}'],
    },
    spoken: {
      opened: 'Opened milestone: {0}',
      closed: 'Closed milestone: {0}',
      reopened: 'Reopened milestone: {0}',
      created: 'Created milestone: {0}',
      updated: 'Updated milestone: {0}',
      destroyed: 'Deleted milestone: {0}',
    },
  },
  Snippet: {
    label: {
      created: ['Created snippet {0}', '@{0} created snippet {1}'],
      updated: ['Updated snippet {0}', '@{0} updated snippet {1}'],
      destroyed: ['Deleted snippet {0}', '@{0} deleted snippet {1}'],
      'commented on': ['Commented on snippet {0}', '@{0} commented on snippet {1}'],
    },
    spoken: {
      created: 'Created snippet: {0}',
      updated: 'Updated snippet: {0}',
      destroyed: 'Deleted snippet: {0}',
      'commented on': 'Commented on snippet: {0}',
    },
  },
  'WikiPage::Meta': {
    label: {
      created: ['Created wiki page {0}', '@{0} created wiki page {1}'],
      updated: ['Updated wiki page {0}', '@{0} updated wiki page {1}'],
      destroyed: ['Deleted wiki page {0}', '@{0} deleted wiki page {1}'],
      'commented on': ['Commented on wiki page {0}', '@{0} commented on wiki page {1}'],
    },
    spoken: {
      created: 'Created wiki page: {0}',
      updated: 'Updated wiki page: {0}',
      destroyed: 'Deleted wiki page: {0}',
      'commented on': 'Commented on wiki page: {0}',
    },
  },
  'DesignManagement::Design': {
    label: {
      created: ['Created design {0}', '@{0} created design {1}'],
      updated: ['Updated design {0}', '@{0} updated design {1}'],
      destroyed: ['Deleted design {0}', '@{0} deleted design {1}'],
      'commented on': ['Commented on design {0}', '@{0} commented on design {1}'],
    },
    spoken: {
      created: 'Created design: {0}',
      updated: 'Updated design: {0}',
      destroyed: 'Deleted design: {0}',
      'commented on': 'Commented on design: {0}',
    },
  },
  Issue: {
    label: {
      'commented on': ['Commented on issue {0}', '@{0} commented on issue {1}'],
    },
    spoken: { 'commented on': 'Commented on issue: {0}' },
  },
  WorkItem: {
    label: {
      'commented on': ['Commented on work item {0}', '@{0} commented on work item {1}'],
    },
    spoken: { 'commented on': 'Commented on work item: {0}' },
  },
  MergeRequest: {
    label: {
      'commented on': ['Commented on merge request {0}', '@{0} commented on merge request {1}'],
    },
    spoken: { 'commented on': 'Commented on merge request: {0}' },
  },
  Epic: {
    label: {
      'commented on': ['Commented on epic {0}', '@{0} commented on epic {1}'],
    },
    spoken: { 'commented on': 'Commented on epic: {0}' },
  },
  Commit: {
    label: {
      'commented on': ['Commented on commit {0}', '@{0} commented on commit {1}'],
    },
    spoken: { 'commented on': 'Commented on commit: {0}' },
  },
});

/** Sentences for a single branch or tag. */
export const refSentences: ByPush<Sentence> = texts({
  branch: {
    created: ['Created branch {0}', '@{0} created branch {1}'],
    removed: ['Deleted branch {0}', '@{0} deleted branch {1}'],
    pushed: ['Pushed to branch {0}', '@{0} pushed to branch {1}'],
  },
  tag: {
    created: ['Created tag {0}', '@{0} created tag {1}'],
    removed: ['Deleted tag {0}', '@{0} deleted tag {1}'],
    pushed: ['Pushed to tag {0}', '@{0} pushed to tag {1}'],
  },
});

interface CountedSentences {
  /** Sentence for an unknown number. */
  readonly some: Sentence;
  readonly one: Sentence;
  readonly other: Sentence;
}

/** Sentences for several branches or tags in one push. */
export const bulkSentences: ByPush<CountedSentences> = texts({
  branch: {
    created: {
      some: ['Created branches', '@{0} created branches'],
      one: ['Created 1 branch', '@{0} created 1 branch'],
      other: ['Created {0} branches', '@{0} created {1} branches'],
    },
    removed: {
      some: ['Deleted branches', '@{0} deleted branches'],
      one: ['Deleted 1 branch', '@{0} deleted 1 branch'],
      other: ['Deleted {0} branches', '@{0} deleted {1} branches'],
    },
    pushed: {
      some: ['Pushed to branches', '@{0} pushed to branches'],
      one: ['Pushed to 1 branch', '@{0} pushed to 1 branch'],
      other: ['Pushed to {0} branches', '@{0} pushed to {1} branches'],
    },
  },
  tag: {
    created: {
      some: ['Created tags', '@{0} created tags'],
      one: ['Created 1 tag', '@{0} created 1 tag'],
      other: ['Created {0} tags', '@{0} created {1} tags'],
    },
    removed: {
      some: ['Deleted tags', '@{0} deleted tags'],
      one: ['Deleted 1 tag', '@{0} deleted 1 tag'],
      other: ['Deleted {0} tags', '@{0} deleted {1} tags'],
    },
    pushed: {
      some: ['Pushed to tags', '@{0} pushed to tags'],
      one: ['Pushed to 1 tag', '@{0} pushed to 1 tag'],
      other: ['Pushed to {0} tags', '@{0} pushed to {1} tags'],
    },
  },
});

interface PushSentences {
  readonly label: Sentence;
  readonly spoken: Text;
}

/** Sentences for commits pushed to a branch, with the values that they contain, in this order. */
export const commitSentences: Readonly<Record<'ref' | 'refAndTitle' | 'countAndRef' | 'countRefAndTitle', PushSentences>> = texts(
  {
    ref: { label: ['Pushed to {0}', '@{0} pushed to {1}'], spoken: 'Pushed to branch {0}' },
    refAndTitle: { label: ['Pushed to {0}: {1}', '@{0} pushed to {1}: {2}'], spoken: 'Pushed to branch {0}: {1}' },
    countAndRef: {
      label: ['Pushed {0} commits to {1}', '@{0} pushed {1} commits to {2}'],
      spoken: 'Pushed {0} commits to branch {1}',
    },
    countRefAndTitle: {
      label: ['Pushed {0} commits to {1}: {2}', '@{0} pushed {1} commits to {2}: {3}'],
      spoken: 'Pushed {0} commits to branch {1}: {2}',
    },
  },
);
