declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    deployTokens: DeployTokenChange;
  }
}

/** Changes of deploy tokens, which belong to a project or a group. */
export type DeployTokenChange = {
  readonly kind: 'deployTokenCreated' | 'deployTokenRemoved';
  readonly tokenId: number;
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly name: string;
  /** Names of scopes, separated by spaces. */
  readonly scopes: string;
};
