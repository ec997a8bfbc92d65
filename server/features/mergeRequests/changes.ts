import type { TextEdit } from '../../core/changes.ts';
import type { PushedCommit } from '../pushes/pushes.ts';
import type { LinkedLabel } from '../labels/labels.ts';
import type { NoteCreated } from '../notes/notes.ts';
import type { MergeRequestRow } from './store.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    mergeRequests: MergeRequestChange;
  }
}

/** Changes of merge requests. */
export type MergeRequestChange =
  | {
      readonly kind:
        | 'mergeRequestOpened'
        | 'mergeRequestClosed'
        | 'mergeRequestReopened'
        | 'mergeRequestApproved'
        | 'mergeRequestUnapproved';
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
  | { readonly kind: 'autoMergeEnabled'; readonly mergeRequest: ChangedMergeRequest; readonly authorId: number }
  | { readonly kind: 'mergeRequestRetitled'; readonly mergeRequest: ChangedMergeRequest }
  /** The title or description was edited. */
  | {
      readonly kind: 'mergeRequestEdited';
      readonly mergeRequest: ChangedMergeRequest;
      readonly edit: TextEdit;
      readonly authorId: number;
    }
  /** Attributes besides the state were changed. Published once per request, after the changes of the single attributes. */
  | {
      readonly kind: 'mergeRequestUpdated';
      readonly mergeRequest: ChangedMergeRequest;
      readonly before: FormerMergeRequest;
      readonly authorId: number;
    }
  /** Other users are assigned or asked for a review. Not published for those of a new merge request. */
  | {
      readonly kind: 'mergeRequestReassigned' | 'mergeRequestReviewersChanged';
      readonly mergeRequest: ChangedMergeRequest;
      readonly previousIds: readonly number[];
      readonly authorId: number;
    }
  | {
      readonly kind: 'mergeRequestPushed';
      readonly mergeRequest: ChangedMergeRequest;
      /** Newest commit before the push. */
      readonly formerHead: string;
      readonly commitCount: number;
      /** The newest commits, newest first. */
      readonly commits: readonly PushedCommit[];
      readonly authorId: number;
    }
  | NoteCreated<{ readonly type: 'MergeRequest'; readonly mergeRequest: ChangedMergeRequest }>;

/** A merge request before a change. */
export interface FormerMergeRequest {
  readonly row: MergeRequestRow;
  readonly labels: readonly LinkedLabel[];
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
}

export interface ChangedMergeRequest {
  readonly id: number;
  readonly iid: number;
  /** ID of the target project. */
  readonly projectId: number;
  readonly title: string;
}
