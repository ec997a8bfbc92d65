declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    protectedRefs: ProtectionChange;
  }
}

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
