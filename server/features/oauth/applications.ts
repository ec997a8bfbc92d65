import { EXTENSION_CLIENT_ID, EXTENSION_CLIENT_NAME, EXTENSION_REDIRECT_URIS } from '../../../src/contract/product.ts';
import { EXTENSION_SCOPES } from '../../../src/contract/scopes.ts';
import type { ChangedApplication } from './changes.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, randomSecret } from '../../core/secrets.ts';
import {
  applicationById as rowById,
  type ApplicationRow,
  applicationsOf,
  putApplication,
  removeApplication,
  writeSecretHash,
} from './store.ts';

/** Registered OAuth application. `redirect_uris` are separated by line breaks, `scopes` by spaces. */
export type Application = ApplicationRow;

export interface NewApplication {
  readonly name: string;
  /** Maximum scopes of its tokens. */
  readonly scopes: readonly string[];
  /** True if the application can keep a secret. A public one has none. */
  readonly confidential: boolean;
  readonly redirectUris?: readonly string[];
  /** True if users are not asked for consent. */
  readonly trusted?: boolean;
  readonly owner?: User;
}

export interface CreatedApplication {
  readonly application: Application;
  /** `client_secret`, which is returned only once; undefined for a public application. */
  readonly secret: string | undefined;
}

/** Registers an OAuth application. The caller checks which values users may register. */
export function createApplication(core: Core, input: NewApplication): CreatedApplication {
  const secret = input.confidential ? randomApplicationSecret() : undefined;
  return core.store.transaction(() => {
    const application = putApplication(core.store, {
      uid: randomSecret(),
      name: input.name,
      ownerId: input.owner?.id ?? null,
      secretHash: secret === undefined ? null : hashSecret(secret),
      redirectUris: (input.redirectUris ?? []).join('\n'),
      scopes: input.scopes.join(' '),
      confidential: input.confidential ? 1 : 0,
      trusted: input.trusted === true ? 1 : 0,
      now: core.clock.now(),
    });
    core.changes.publish({ kind: 'applicationMade', application: asChanged(application) });
    return { application, secret };
  });
}

export function applicationById(core: Core, id: number): Application | undefined {
  return rowById(core.store, id);
}

/** Returns the applications of an owner, or all including the built-in one, ordered by ID. */
export function listApplications(core: Core, owner?: User): readonly Application[] {
  return applicationsOf(core.store, owner?.id);
}

/** Replaces the secret of a confidential application. The new secret is returned only once. */
export function setApplicationSecret(core: Core, application: Application): string {
  if (application.confidential === 0) throw new Error('a public application has no secret');
  const secret = randomApplicationSecret();
  core.store.transaction(() => {
    writeSecretHash(core.store, application.id, hashSecret(secret));
    core.changes.publish({ kind: 'applicationSecretRenewed', application: asChanged(application) });
  });
  return secret;
}

/** Deletes an application with all its tokens, codes and device grants. Returns false if it does not exist. */
export function deleteApplication(core: Core, application: Application): boolean {
  return core.store.transaction(() => {
    const isRemoved = removeApplication(core.store, application.id);
    if (isRemoved) core.changes.publish({ kind: 'applicationRemoved', application: asChanged(application) });
    return isRemoved;
  });
}

/** Returns the fields that identify an application in published changes. */
export function asChanged({ id, name, owner_id }: ApplicationRow): ChangedApplication {
  return { id, name, ownerId: owner_id };
}

function randomApplicationSecret(): string {
  return `gloas-${randomSecret()}`;
}

/** Creates or updates the built-in public application of the VS Code extension. */
export function ensureBuiltInApplication(core: Core): void {
  putApplication(core.store, {
    uid: EXTENSION_CLIENT_ID,
    name: EXTENSION_CLIENT_NAME,
    ownerId: null,
    secretHash: null,
    redirectUris: EXTENSION_REDIRECT_URIS.join('\n'),
    scopes: EXTENSION_SCOPES.join(' '),
    confidential: 0,
    trusted: 0,
    now: core.clock.now(),
  });
}
