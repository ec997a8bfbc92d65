import { EXTENSION_CLIENT_ID, EXTENSION_CLIENT_NAME, EXTENSION_SCOPES } from '../../src/contract/product.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
import { putApplication } from './store.ts';

export interface NewApplication {
  readonly name: string;
  /** What its tokens may have at most. */
  readonly scopes: readonly string[];
  /** Whether it can keep a secret; a public one gets none. */
  readonly confidential: boolean;
  readonly redirectUris?: readonly string[];
  readonly owner?: User;
}

export interface RegisteredApplication {
  /** `client_id`. */
  readonly uid: string;
  /** `client_secret`, seen only now; undefined for a public application. */
  readonly secret: string | undefined;
}

/** Registers an OAuth application. */
export function registerApplication(platform: Platform, wish: NewApplication): RegisteredApplication {
  const uid = randomSecret();
  const secret = wish.confidential ? `gloas-${randomSecret()}` : undefined;
  putApplication(platform.store, {
    uid,
    name: wish.name,
    ownerId: wish.owner?.id ?? null,
    secretHash: secret === undefined ? null : hashSecret(secret),
    redirectUris: (wish.redirectUris ?? []).join('\n'),
    scopes: wish.scopes.join(' '),
    confidential: wish.confidential ? 1 : 0,
    now: platform.clock.now(),
  });
  return { uid, secret };
}

/** Makes sure that the public application of the VS Code extension is there, as this version of the program knows it. */
export function ensureBuiltInApplication(platform: Platform): void {
  putApplication(platform.store, {
    uid: EXTENSION_CLIENT_ID,
    name: EXTENSION_CLIENT_NAME,
    ownerId: null,
    secretHash: null,
    redirectUris: '',
    scopes: EXTENSION_SCOPES.join(' '),
    confidential: 0,
    now: platform.clock.now(),
  });
}
