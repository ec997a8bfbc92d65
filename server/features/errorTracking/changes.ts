import type { AttributeChange } from '../../core/changes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    errorTracking: ErrorTrackingChange;
  }
}

/** Changes of the error tracking settings, source maps and tracked errors of a project. */
export type ErrorTrackingChange =
  | { readonly kind: 'errorTrackingSet'; readonly projectId: number; readonly active: boolean; readonly integrated: boolean }
  | { readonly kind: 'errorTrackingChanged'; readonly projectId: number; readonly attributes: readonly AttributeChange[] }
  | {
      readonly kind: 'sourceMapUploaded' | 'sourceMapRemoved';
      readonly projectId: number;
      readonly mapId: number;
      /** Name of the generated file. May be empty. */
      readonly file: string;
    }
  | {
      /** A release has to be compared with others in the repository. */
      readonly kind: 'releaseCheckAdded';
      readonly projectId: number;
    }
  | {
      /** Further events of a known error were counted. */
      readonly kind: 'errorCounted';
      readonly projectId: number;
      readonly fingerprint: number;
    }
  | {
      /** Requests with a client key were accepted or refused. */
      readonly kind: 'clientKeyUsed';
      readonly projectId: number;
      readonly keyId: number;
    }
  | TrackedErrorChange;

/** Changes of tracked errors, which are identified by their fingerprints. */
type TrackedErrorChange = {
  readonly projectId: number;
  readonly fingerprint: number;
  readonly title: string;
} & (
  | {
      /** A reported error is new, has come back, or is no longer ignored. */
      readonly kind: 'errorAppeared' | 'errorRegressed' | 'errorEscalated';
    }
  | { readonly kind: 'errorStatusChanged'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'errorsMerged';
      /** Fingerprints of errors that no longer exist. Their data belongs to the remaining error. */
      readonly merged: readonly number[];
    }
  | {
      readonly kind: 'errorAssigned';
      /** Username; undefined if the error is assigned to nobody. */
      readonly assignee: string | undefined;
    }
  | {
      readonly kind: 'errorIssueChanged';
      /** IID of the issue about the error; undefined if there is none anymore. */
      readonly issueIid: number | undefined;
    }
  | {
      readonly kind: 'errorSplit';
      /** Fingerprint of the error that this one was split off. */
      readonly from: number;
    }
);
