declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    clientKeys: ClientKeyChange;
  }
}

/** Changes of client keys. Public keys are not secret. */
export type ClientKeyChange = {
  readonly kind: 'clientKeyMade' | 'clientKeyRemoved';
  readonly projectId: number;
  readonly keyId: number;
  readonly publicKey: string;
};
