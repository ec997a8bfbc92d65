/** What changed, published inside the transaction that changes it. Activity and everything that follows a change hangs off it. */
export type Change =
  | { readonly kind: 'projectCreated'; readonly projectId: number; readonly authorId: number }
  | { readonly kind: 'memberJoined'; readonly projectId: number; readonly userId: number }
  | { readonly kind: 'memberLeft'; readonly projectId: number; readonly userId: number }
  | { readonly kind: 'memberExpired'; readonly projectId: number; readonly userId: number }
  | { readonly kind: 'issueOpened' | 'issueClosed' | 'issueReopened'; readonly issue: ChangedIssue; readonly authorId: number }
  | { readonly kind: 'issueConfidentialityChanged' | 'issueRetitled'; readonly issue: ChangedIssue }
  | {
      readonly kind: 'noteCreated';
      readonly note: { readonly id: number; readonly internal: boolean; readonly system: boolean };
      readonly issue: ChangedIssue;
      readonly authorId: number;
    }
  | {
      readonly kind: 'milestoneOpened' | 'milestoneClosed' | 'milestoneReopened' | 'milestoneDestroyed';
      readonly milestone: ChangedMilestone;
      readonly authorId: number;
    }
  | { readonly kind: 'milestoneRetitled'; readonly milestone: ChangedMilestone }
  | { readonly kind: 'refsPushed'; readonly projectId: number; readonly authorId: number; readonly refs: readonly PushedRef[] };

export interface ChangedIssue {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly confidential: boolean;
}

/** A milestone of a project; those of groups are in no feed. */
export interface ChangedMilestone {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
}

export interface PushedRef {
  /** Short name of the branch or tag. */
  readonly ref: string;
  readonly refType: 'branch' | 'tag';
  readonly action: 'created' | 'removed' | 'pushed';
  readonly commitFrom: string | null;
  readonly commitTo: string | null;
  readonly commitCount: number;
  readonly commitTitle: string | null;
}

export interface Changes {
  publish(change: Change): void;
  /** Subscribers run in the order in which they were added, in the publisher's transaction; a throw rolls it back. */
  subscribe(subscriber: (change: Change) => void): void;
}

export function createChanges(): Changes {
  const subscribers: ((change: Change) => void)[] = [];
  return {
    publish: (change) => {
      for (const subscriber of subscribers) subscriber(change);
    },
    subscribe: (subscriber) => {
      subscribers.push(subscriber);
    },
  };
}
