declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    deployKeys: DeployKeyChange;
  }
}

/** Changes of the deploy keys of projects. */
export type DeployKeyChange = {
  readonly kind: 'deployKeyAdded' | 'deployKeyRemoved';
  readonly keyId: number;
  readonly projectId: number;
  readonly title: string;
};
