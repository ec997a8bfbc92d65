declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    pipelines: PipelineChange;
  }
}

/** Changes of pipelines. `pipelineFixed`: a pipeline succeeded after the previous finished one of its ref failed. */
export type PipelineChange = {
  readonly kind: 'pipelineSucceeded' | 'pipelineFixed' | 'pipelineFailed';
  readonly pipelineId: number;
  readonly projectId: number;
};
