import type { TextEdit } from '../../core/changes.ts';
import type { LinkedLabel } from '../labels/labels.ts';
import type { NoteCreated } from '../notes/notes.ts';
import type { IssueRow } from './store.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    issues: IssueChange;
  }
}

/** Changes of issues. */
export type IssueChange =
  | { readonly kind: 'issueOpened' | 'issueClosed' | 'issueReopened'; readonly issue: ChangedIssue; readonly authorId: number }
  | { readonly kind: 'issueConfidentialityChanged' | 'issueRetitled'; readonly issue: ChangedIssue }
  /** The title or description was edited. */
  | { readonly kind: 'issueEdited'; readonly issue: ChangedIssue; readonly edit: TextEdit; readonly authorId: number }
  /** Attributes besides the state were changed. Published once per request, after the changes of the single attributes. */
  | { readonly kind: 'issueUpdated'; readonly issue: ChangedIssue; readonly before: FormerIssue; readonly authorId: number }
  /** Other users are assigned. Not published for the assignees of a new issue. */
  | {
      readonly kind: 'issueReassigned';
      readonly issue: ChangedIssue;
      readonly previousIds: readonly number[];
      readonly authorId: number;
    }
  /** An open issue is due tomorrow. Published once per due date. */
  | { readonly kind: 'issueDue'; readonly issue: ChangedIssue }
  | NoteCreated<{ readonly type: 'Issue'; readonly issue: ChangedIssue }>;

/** An issue before a change. */
export interface FormerIssue {
  readonly row: IssueRow;
  readonly labels: readonly LinkedLabel[];
  readonly assigneeIds: readonly number[];
}

export interface ChangedIssue {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly confidential: boolean;
}
