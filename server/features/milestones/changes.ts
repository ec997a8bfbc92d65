declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    milestones: MilestoneChange;
  }
}

/** Changes of project milestones. Those of group milestones are not published. */
export type MilestoneChange =
  | {
      readonly kind: 'milestoneOpened' | 'milestoneClosed' | 'milestoneReopened' | 'milestoneDestroyed';
      readonly milestone: ChangedMilestone;
      readonly authorId: number;
    }
  | { readonly kind: 'milestoneRetitled'; readonly milestone: ChangedMilestone };

export interface ChangedMilestone {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
}
