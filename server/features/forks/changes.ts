declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    forks: ForkChange;
  }
}

/** Changes of fork relations. */
export type ForkChange = { readonly kind: 'forkUnlinked'; readonly projectId: number; readonly authorId: number };
