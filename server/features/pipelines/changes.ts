declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    pipelines: PipelineChange;
  }
}

/** Changes of pipelines and jobs. `pipelineFixed`: a pipeline succeeded after the previous finished one of its ref failed. */
export type PipelineChange =
  | {
      readonly kind: 'pipelineSucceeded' | 'pipelineFixed' | 'pipelineFailed';
      readonly pipelineId: number;
      readonly projectId: number;
    }
  /** A pipeline has another status, or was created with another one than `created`. */
  | { readonly kind: 'pipelineStatusChanged'; readonly pipelineId: number; readonly projectId: number }
  /** A job was created or has another status. Not published for commit statuses. */
  | { readonly kind: 'jobStatusChanged'; readonly jobId: number; readonly projectId: number };
