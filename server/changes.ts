/** What changed, published inside the transaction that changes it. Activity and everything that follows a change hangs off it. */
export type Change =
  | AccountChange
  | MembershipChange
  | PlaceChange
  | ErrorTrackingChange
  | { readonly kind: 'projectCreated'; readonly projectId: number; readonly authorId: number }
  | { readonly kind: 'issueOpened' | 'issueClosed' | 'issueReopened'; readonly issue: ChangedIssue; readonly authorId: number }
  | {
      readonly kind:
        | 'mergeRequestOpened'
        | 'mergeRequestClosed'
        | 'mergeRequestReopened'
        | 'mergeRequestMerged'
        | 'mergeRequestApproved';
      readonly mergeRequest: ChangedMergeRequest;
      readonly authorId: number;
    }
  | { readonly kind: 'mergeRequestRetitled'; readonly mergeRequest: ChangedMergeRequest }
  | { readonly kind: 'issueConfidentialityChanged' | 'issueRetitled'; readonly issue: ChangedIssue }
  | {
      readonly kind: 'noteCreated';
      readonly note: ChangedNote;
      readonly on: CommentableChange;
      readonly authorId: number;
    }
  | { readonly kind: 'snippetChanged'; readonly snippet: ChangedSnippet }
  | {
      readonly kind: 'milestoneOpened' | 'milestoneClosed' | 'milestoneReopened' | 'milestoneDestroyed';
      readonly milestone: ChangedMilestone;
      readonly authorId: number;
    }
  | { readonly kind: 'milestoneRetitled'; readonly milestone: ChangedMilestone }
  | { readonly kind: 'refsPushed'; readonly projectId: number; readonly authorId: number; readonly refs: readonly PushedRef[] }
  /** Commits that others know of are on a branch now, too; told after everything else that a push does. */
  | {
      readonly kind: 'commitsReached';
      readonly projectId: number;
      readonly branch: string;
      readonly commits: readonly string[];
      readonly authorId: number;
    }
  /** What programs report: an error that nobody knew, one that is back, one that was ignored until now. */
  | {
      readonly kind: 'errorAppeared' | 'errorRegressed' | 'errorEscalated';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
    }
  | { readonly kind: 'forkUnlinked'; readonly projectId: number; readonly authorId: number };

/** Where somebody is a member. `authorId` is left out where it is whoever sent the request (`server/actor.ts`). */
export type MembershipChange =
  | {
      readonly kind: 'memberJoined';
      readonly projectId: number;
      readonly userId: number;
      readonly level: number;
      readonly authorId: number;
    }
  | {
      readonly kind: 'memberChanged';
      readonly projectId: number;
      readonly userId: number;
      readonly from: Membership;
      readonly to: Membership;
    }
  | { readonly kind: 'memberLeft'; readonly projectId: number; readonly userId: number }
  | { readonly kind: 'memberExpired'; readonly projectId: number; readonly userId: number }
  | {
      readonly kind: 'groupMemberJoined';
      readonly groupId: number;
      readonly userId: number;
      readonly level: number;
      readonly authorId: number;
    }
  | {
      readonly kind: 'groupMemberChanged';
      readonly groupId: number;
      readonly userId: number;
      readonly from: Membership;
      readonly to: Membership;
    }
  | { readonly kind: 'groupMemberLeft' | 'groupMemberExpired'; readonly groupId: number; readonly userId: number };

export interface Membership {
  readonly level: number;
  readonly expiresAt: number | null;
}

/** One attribute before and after, as words. */
export interface AttributeChange {
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

/** Groups, and what is changed of projects. `groupId` of a removed project: the group that held it, null for that of a person. */
export type PlaceChange =
  | { readonly kind: 'projectChanged'; readonly projectId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'projectRemoved'; readonly project: RemovedPlace; readonly groupId: number | null }
  | { readonly kind: 'groupCreated'; readonly groupId: number; readonly authorId: number }
  | { readonly kind: 'groupChanged'; readonly groupId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'groupRemoved'; readonly group: RemovedPlace };

/** Whether errors of a project are tracked, who may send some, and what becomes of them. Public keys are no secrets. */
export type ErrorTrackingChange =
  | { readonly kind: 'errorTrackingSet'; readonly projectId: number; readonly active: boolean; readonly integrated: boolean }
  | { readonly kind: 'errorTrackingChanged'; readonly projectId: number; readonly attributes: readonly AttributeChange[] }
  | {
      readonly kind: 'clientKeyMade' | 'clientKeyRemoved';
      readonly projectId: number;
      readonly keyId: number;
      readonly publicKey: string;
    }
  | {
      readonly kind: 'sourceMapUploaded' | 'sourceMapRemoved';
      readonly projectId: number;
      readonly mapId: number;
      /** Of the generated code; may be empty. */
      readonly file: string;
    }
  | TrackedErrorChange;

/** What people do with tracked errors, which are known by their fingerprints. */
export type TrackedErrorChange =
  | {
      readonly kind: 'errorStatusChanged';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly from: string;
      readonly to: string;
    }
  /** `merged` are gone; what they had is that of the first. */
  | {
      readonly kind: 'errorsMerged';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly merged: readonly number[];
    }
  /** An error that was a part of another one. */
  | {
      readonly kind: 'errorSplit';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly from: number;
    };

export interface RemovedPlace {
  readonly id: number;
  readonly name: string;
  readonly fullPath: string;
}

export type UserStateAction = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate';

/** People, what they sign in with, and the settings of the instance. None of these holds a secret. */
export type AccountChange =
  | { readonly kind: 'userCreated' | 'passwordChanged' | 'accountLocked' | 'accountUnlocked'; readonly userId: number }
  | { readonly kind: 'userChanged'; readonly userId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'userStateChanged'; readonly userId: number; readonly action: UserStateAction }
  | { readonly kind: 'secondFactorChanged'; readonly userId: number; readonly enabled: boolean }
  /** `userId` is null where the name is nobody's: people type passwords into the wrong field, so it is not told. */
  | { readonly kind: 'signInFailed'; readonly userId: number | null; readonly by: 'password' | 'code' }
  | { readonly kind: 'signedIn'; readonly userId: number; readonly by: 'password' | 'code' }
  | { readonly kind: 'personalTokenMade' | 'personalTokenRevoked'; readonly tokenId: number; readonly userId: number }
  | {
      readonly kind: 'applicationMade' | 'applicationSecretRenewed' | 'applicationRemoved';
      readonly application: ChangedApplication;
    }
  | {
      readonly kind: 'applicationAuthorized';
      readonly application: ChangedApplication;
      readonly userId: number;
      readonly scopes: string;
    }
  | { readonly kind: 'settingsChanged'; readonly attributes: readonly AttributeChange[] };

export interface ChangedApplication {
  readonly id: number;
  readonly name: string;
  /** Null for one of the whole instance. */
  readonly ownerId: number | null;
}

/** What the activity of people does not show. */
export type AuditedChange =
  | AccountChange
  | PlaceChange
  | ErrorTrackingChange
  | Exclude<MembershipChange, { readonly kind: 'memberJoined' | 'memberLeft' | 'memberExpired' }>;

const audited: Readonly<Record<AuditedChange['kind'], true>> = {
  accountLocked: true,
  accountUnlocked: true,
  applicationAuthorized: true,
  applicationMade: true,
  applicationRemoved: true,
  applicationSecretRenewed: true,
  clientKeyMade: true,
  clientKeyRemoved: true,
  errorSplit: true,
  errorStatusChanged: true,
  errorTrackingChanged: true,
  errorTrackingSet: true,
  errorsMerged: true,
  groupChanged: true,
  groupCreated: true,
  groupMemberChanged: true,
  groupMemberExpired: true,
  groupMemberJoined: true,
  groupMemberLeft: true,
  groupRemoved: true,
  memberChanged: true,
  passwordChanged: true,
  personalTokenMade: true,
  personalTokenRevoked: true,
  projectChanged: true,
  projectRemoved: true,
  secondFactorChanged: true,
  settingsChanged: true,
  signInFailed: true,
  signedIn: true,
  sourceMapRemoved: true,
  sourceMapUploaded: true,
  userChanged: true,
  userCreated: true,
  userStateChanged: true,
};

export function isOnlyAudited(change: Change): change is AuditedChange {
  return Object.hasOwn(audited, change.kind);
}

/** What differs between two states of one thing, of the members that have a name for it. */
export function changedAttributes<Name extends string>(
  names: Readonly<Record<Name, string>>,
  before: Readonly<Record<NoInfer<Name>, unknown>>,
  after: Readonly<Record<NoInfer<Name>, unknown>>,
): AttributeChange[] {
  const found: AttributeChange[] = [];
  for (const name in names) {
    const [from, to] = [before[name], after[name]];
    if (from !== to) found.push({ attribute: names[name], from: String(from ?? ''), to: String(to ?? '') });
  }
  return found;
}
export interface ChangedNote {
  readonly id: number;
  readonly type: 'Note' | 'DiscussionNote' | 'DiffNote';
  readonly internal: boolean;
  readonly system: boolean;
}

/** What a note is on. */
export type CommentableChange =
  | { readonly type: 'Issue'; readonly issue: ChangedIssue }
  | { readonly type: 'MergeRequest'; readonly mergeRequest: ChangedMergeRequest }
  | { readonly type: 'Snippet'; readonly snippet: ChangedSnippet };

/** A snippet of a project; those of people are in no feed. */
export interface ChangedSnippet {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  readonly visibility: 'private' | 'internal' | 'public';
}

export interface ChangedMergeRequest {
  readonly id: number;
  readonly iid: number;
  /** Of the project into which it merges. */
  readonly projectId: number;
  readonly title: string;
}

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
