/** A change, published inside the transaction that makes it. Subscribers record activity and everything else that follows from a change. */
export type Change =
  | AccountChange
  | MembershipChange
  | ContainerChange
  | ErrorTrackingChange
  | ProtectionChange
  | DeployAccessChange
  | WorkItemChange
  | { readonly kind: 'projectCreated'; readonly projectId: number; readonly authorId: number }
  | { readonly kind: 'issueOpened' | 'issueClosed' | 'issueReopened'; readonly issue: ChangedIssue; readonly authorId: number }
  | {
      readonly kind: 'mergeRequestOpened' | 'mergeRequestClosed' | 'mergeRequestReopened' | 'mergeRequestApproved';
      readonly mergeRequest: ChangedMergeRequest;
      readonly authorId: number;
    }
  | {
      readonly kind: 'mergeRequestMerged';
      readonly mergeRequest: ChangedMergeRequest;
      /** True if auto-merge was enabled when it was merged. */
      readonly wasAutoMerged: boolean;
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
  /** Known commits have reached a branch, or the default branch was created. Published after all other changes of a push. */
  | {
      readonly kind: 'commitsReached';
      readonly projectId: number;
      readonly branch: string;
      readonly commits: readonly string[];
      /** The newest of these commits with their messages, if the branch is the default branch; those of its history if it is new. */
      readonly described: readonly DescribedCommit[];
      readonly authorId: number;
    }
  /** A reported error that is new, has come back, or is no longer ignored. */
  | {
      readonly kind: 'errorAppeared' | 'errorRegressed' | 'errorEscalated';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
    }
  | { readonly kind: 'forkUnlinked'; readonly projectId: number; readonly authorId: number };

/** Changes of work items, pipelines, releases and paths of projects that appear neither in activity feeds nor in audit events. */
export type WorkItemChange =
  /** Other users are assigned. Not published for the assignees of a new issue or merge request. */
  | {
      readonly kind: 'issueReassigned';
      readonly issue: ChangedIssue;
      readonly previousIds: readonly number[];
      readonly authorId: number;
    }
  | {
      readonly kind: 'mergeRequestReassigned' | 'mergeRequestReviewersChanged';
      readonly mergeRequest: ChangedMergeRequest;
      readonly previousIds: readonly number[];
      readonly authorId: number;
    }
  /** The title or description was edited. */
  | { readonly kind: 'issueEdited'; readonly issue: ChangedIssue; readonly edit: TextEdit; readonly authorId: number }
  | {
      readonly kind: 'mergeRequestEdited';
      readonly mergeRequest: ChangedMergeRequest;
      readonly edit: TextEdit;
      readonly authorId: number;
    }
  | { readonly kind: 'epicEdited'; readonly epic: ChangedEpic; readonly edit: TextEdit; readonly authorId: number }
  /** An open issue is due tomorrow. Published once per due date. */
  | { readonly kind: 'issueDue'; readonly issue: ChangedIssue }
  | {
      readonly kind: 'mergeRequestPushed';
      readonly mergeRequest: ChangedMergeRequest;
      readonly commitCount: number;
      /** The newest commits, newest first. */
      readonly commits: readonly PushedCommit[];
      readonly authorId: number;
    }
  | { readonly kind: 'autoMergeEnabled'; readonly mergeRequest: ChangedMergeRequest; readonly authorId: number }
  | { readonly kind: 'epicOpened'; readonly epic: ChangedEpic; readonly authorId: number }
  /** `pipelineFixed`: a pipeline succeeded after the previous finished one of its ref failed. */
  | {
      readonly kind: 'pipelineSucceeded' | 'pipelineFixed' | 'pipelineFailed';
      readonly pipelineId: number;
      readonly projectId: number;
    }
  /** The release date has come. */
  | {
      readonly kind: 'releasePublished';
      readonly releaseId: number;
      readonly projectId: number;
      readonly authorId: number | null;
    }
  /** The full path has changed. `authorId` is null if no request caused it. */
  | {
      readonly kind: 'projectMoved';
      readonly projectId: number;
      readonly formerPath: string;
      readonly authorId: number | null;
    };

/** Title and description before and after an edit. */
export interface TextEdit {
  readonly before: EditedTexts;
  readonly after: EditedTexts;
}

export interface EditedTexts {
  readonly title: string;
  readonly description: string | null;
}

/** Membership changes. `authorId` is omitted where the author is the sender of the request (`server/core/actor.ts`). */
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

/** An attribute before and after a change, as text. */
export interface AttributeChange {
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
}

/** Changes of groups and projects. `groupId` of a removed project is its group, or null for a personal project. */
export type ContainerChange =
  | { readonly kind: 'projectChanged'; readonly projectId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'projectRemoved'; readonly project: RemovedContainer; readonly groupId: number | null }
  | { readonly kind: 'groupCreated'; readonly groupId: number; readonly authorId: number }
  | { readonly kind: 'groupChanged'; readonly groupId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'groupRemoved'; readonly group: RemovedContainer };

/** Changes of deploy tokens, which belong to a project or a group, and of the deploy keys of projects. */
export type DeployAccessChange =
  | {
      readonly kind: 'deployTokenCreated' | 'deployTokenRemoved';
      readonly tokenId: number;
      readonly projectId: number | null;
      readonly groupId: number | null;
      readonly name: string;
      /** Names of scopes, separated by spaces. */
      readonly scopes: string;
    }
  | {
      readonly kind: 'deployKeyAdded' | 'deployKeyRemoved';
      readonly keyId: number;
      readonly projectId: number;
      readonly title: string;
    };

/** Changes of protected branches and tags. */
export type ProtectionChange = {
  readonly projectId: number;
  readonly protectionId: number;
  readonly refKind: 'branch' | 'tag';
  /** Name of the branch or tag, which can contain wildcards. */
  readonly name: string;
} & (
  | { readonly kind: 'protectionCreated'; readonly description: string }
  | { readonly kind: 'protectionChanged'; readonly from: string; readonly to: string }
  | { readonly kind: 'protectionRemoved' }
);

/** Changes of the error tracking settings, client keys, source maps and tracked errors of a project. Public keys are not secret. */
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
      /** Name of the generated file. May be empty. */
      readonly file: string;
    }
  | TrackedErrorChange;

/** Changes that users make to tracked errors, which are identified by their fingerprints. */
export type TrackedErrorChange =
  | {
      readonly kind: 'errorStatusChanged';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly from: string;
      readonly to: string;
    }
  /** `merged` no longer exist. Their data belongs to the remaining error. */
  | {
      readonly kind: 'errorsMerged';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly merged: readonly number[];
    }
  /** An error that was split off another one. */
  | {
      readonly kind: 'errorSplit';
      readonly projectId: number;
      readonly fingerprint: number;
      readonly title: string;
      readonly from: number;
    };

export interface RemovedContainer {
  readonly id: number;
  readonly name: string;
  readonly fullPath: string;
}

export type UserStateAction = 'block' | 'unblock' | 'ban' | 'unban' | 'deactivate' | 'activate';

/** Changes of users, credentials, applications and instance settings. They contain no secrets. */
export type AccountChange =
  | { readonly kind: 'userCreated' | 'passwordChanged' | 'accountLocked' | 'accountUnlocked'; readonly userId: number }
  | { readonly kind: 'userChanged'; readonly userId: number; readonly attributes: readonly AttributeChange[] }
  | { readonly kind: 'userStateChanged'; readonly userId: number; readonly action: UserStateAction }
  | { readonly kind: 'secondFactorChanged'; readonly userId: number; readonly enabled: boolean }
  /**
   * `userId` is null for an unknown username. The name itself is not published, because users sometimes type passwords into the wrong
   * field.
   */
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
  /** Null for an application of the instance. */
  readonly ownerId: number | null;
}

/** Changes that do not appear in activity feeds. */
export type AuditedChange =
  | AccountChange
  | ContainerChange
  | ErrorTrackingChange
  | ProtectionChange
  | DeployAccessChange
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
  deployKeyAdded: true,
  deployKeyRemoved: true,
  deployTokenCreated: true,
  deployTokenRemoved: true,
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
  protectionChanged: true,
  protectionCreated: true,
  protectionRemoved: true,
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

const unlisted: Readonly<Record<WorkItemChange['kind'], true>> = {
  autoMergeEnabled: true,
  epicEdited: true,
  epicOpened: true,
  issueDue: true,
  issueEdited: true,
  issueReassigned: true,
  mergeRequestEdited: true,
  mergeRequestPushed: true,
  mergeRequestReassigned: true,
  mergeRequestReviewersChanged: true,
  pipelineFailed: true,
  pipelineFixed: true,
  pipelineSucceeded: true,
  projectMoved: true,
  releasePublished: true,
};

/** Returns true if the change appears neither in activity feeds nor in audit events. */
export function isUnlisted(change: Change): change is WorkItemChange {
  return Object.hasOwn(unlisted, change.kind);
}

export function isOnlyAudited(change: Change): change is AuditedChange {
  return Object.hasOwn(audited, change.kind);
}

/** Returns the attributes that differ between two states of an object. Only members with an entry in `names` are compared. */
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

/** Object that a note belongs to. */
export type CommentableChange =
  | { readonly type: 'Issue'; readonly issue: ChangedIssue }
  | { readonly type: 'MergeRequest'; readonly mergeRequest: ChangedMergeRequest }
  | { readonly type: 'Epic'; readonly epic: ChangedEpic }
  | { readonly type: 'Snippet'; readonly snippet: ChangedSnippet }
  | { readonly type: 'Commit'; readonly commit: ChangedCommit };

/** A commit with comments. `id` is the number that this server gives to it. */
export interface ChangedCommit {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
}

/** A project snippet. Personal snippets are in no feed. */
export interface ChangedSnippet {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  readonly visibility: 'private' | 'internal' | 'public';
}

export interface ChangedMergeRequest {
  readonly id: number;
  readonly iid: number;
  /** ID of the target project. */
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

export interface ChangedEpic {
  readonly id: number;
  readonly iid: number;
  readonly groupId: number;
}

/** A project milestone. Group milestones are in no feed. */
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
  /** The newest commits that a push adds to an existing branch, at most {@link MAX_PUSHED_COMMITS}, newest first. */
  readonly commits?: readonly PushedCommit[];
}

export interface DescribedCommit {
  readonly id: string;
  readonly message: string;
}

export interface PushedCommit {
  readonly id: string;
  readonly title: string;
}

export const MAX_PUSHED_COMMITS = 20;
/** Maximum number of commits of a push whose messages are read. */
export const MAX_DESCRIBED_COMMITS = 100;

export interface Changes {
  publish(change: Change): void;
  /**
   * Adds a subscriber. Subscribers run in the order in which they were added, in the publisher's transaction; an exception rolls it back.
   */
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
