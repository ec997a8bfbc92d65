declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    oauth: ApplicationChange;
  }
}

/** Changes of applications. They contain no secrets. */
export type ApplicationChange =
  | {
      readonly kind: 'applicationMade' | 'applicationSecretRenewed' | 'applicationRemoved';
      readonly application: ChangedApplication;
    }
  | {
      readonly kind: 'applicationAuthorized';
      readonly application: ChangedApplication;
      readonly userId: number;
      readonly scopes: string;
    };

export interface ChangedApplication {
  readonly id: number;
  readonly name: string;
  /** Null for an application of the instance. */
  readonly ownerId: number | null;
}
