import type { TextEdit } from '../../core/changes.ts';
import type { NoteCreated } from '../notes/notes.ts';

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

export interface ChangedIssue {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly confidential: boolean;
}
