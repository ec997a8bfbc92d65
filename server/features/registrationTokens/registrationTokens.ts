import { createHmac } from 'node:crypto';
import { deprecationOf, stateIn } from '../../../src/contract/deprecations.ts';
import type { Core } from '../../core/core.ts';
import { keyFor } from '../../core/sealing.ts';
import { equalSecrets, hashSecret } from '../../core/secrets.ts';
import { adoptedHash, ownerExists, resetsOf, storeAdoptedHash, storeReset, type TokenOwner } from './store.ts';

export type { TokenOwner } from './store.ts';

// Registration tokens of the instance, of groups and of projects. They must be readable, so they are derived from the key of the data folder
// and the number of resets instead of being stored.

export const instanceOwner: TokenOwner = { kind: 'instance', id: 0 };

type Parts = Pick<Core, 'store' | 'dataFolder' | 'instanceId'>;

const PREFIX = 'GR1348941';
const KEY_USE = 'runner registration tokens';
const kinds = ['instance', 'group', 'project'] as const;
/** Size of the secret part of a token, in bytes. */
const SECRET_BYTES = 15;
/** Size of the number that says to which owner a token belongs, in bytes. */
const NUMBER_BYTES = 6;

/** Derived tokens by all that they are derived from. Deriving one takes half as long as the rest of a read. */
const derivedTokens = new Map<string, string>();
const MAX_DERIVED_TOKENS = 1000;

/** Returns the registration token of the instance, a group or a project, as set by its last reset. */
export function registrationToken(core: Parts, owner: TokenOwner): string {
  const text = [core.instanceId, owner.kind, owner.id, resetsOf(core.store, owner)].join(' ');
  const origin = `${keyFor(core, KEY_USE)} ${text}`;
  let token = derivedTokens.get(origin);
  if (token === undefined) {
    token = deriveToken(core, owner, text);
    if (derivedTokens.size >= MAX_DERIVED_TOKENS) derivedTokens.clear();
    derivedTokens.set(origin, token);
  }
  return token;
}

function deriveToken(core: Parts, owner: TokenOwner, text: string): string {
  const secret = codeOf(core, text).subarray(0, SECRET_BYTES);
  const number = Buffer.alloc(NUMBER_BYTES);
  number.writeUIntBE(owner.id * kinds.length + kinds.indexOf(owner.kind), 0, NUMBER_BYTES);
  return PREFIX + Buffer.concat([secret, mixed(core, number, secret)]).toString('base64url');
}

function codeOf(core: Parts, value: string | Buffer): Buffer {
  return createHmac('sha256', keyFor(core, KEY_USE)).update(value).digest();
}

/** Hides the number in a token, or makes a hidden one readable again. */
function mixed(core: Parts, number: Buffer, secret: Buffer): Buffer {
  const mask = codeOf(core, secret);
  return Buffer.from(number.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

/** Replaces the registration token of the instance, a group or a project, and returns the new one. */
export function resetRegistrationToken(core: Parts, owner: TokenOwner): string {
  return core.store.transaction(() => {
    storeReset(core.store, owner);
    return registrationToken(core, owner);
  });
}

/** Returns the owner of a valid registration token; undefined for another text. */
export function ownerOfToken(core: Parts, sent: string): TokenOwner | undefined {
  const adopted = adoptedHash(core.store);
  if (adopted !== undefined && equalSecrets(adopted, hashSecret(sent))) return instanceOwner;
  if (!sent.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(sent.slice(PREFIX.length), 'base64url');
  if (bytes.length !== SECRET_BYTES + NUMBER_BYTES) return undefined;
  const secret = bytes.subarray(0, SECRET_BYTES);
  const number = mixed(core, bytes.subarray(SECRET_BYTES), secret).readUIntBE(0, NUMBER_BYTES);
  const kind = kinds[number % kinds.length] ?? 'instance';
  const owner = { kind, id: Math.floor(number / kinds.length) };
  if (kind === 'instance' && adopted !== undefined) return undefined;
  return ownerExists(core.store, owner) && equalSecrets(registrationToken(core, owner), sent) ? owner : undefined;
}

/** Returns the member of a project or group with its registration token; empty in releases without these tokens. */
export function registrationTokenMember(core: Parts & Pick<Core, 'profile'>, owner: TokenOwner): { runners_token?: string } {
  if (stateIn('runner-registration', core.profile.release) === 'removed') return {};
  return { runners_token: registrationToken(core, owner) };
}

const VARIABLE_ROW = 'runner-registration-token-variable';

/**
 * Makes the token of the environment variable SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN the registration token of the instance, until the next
 * reset. Only its hash is stored. From the release of its removal on the variable is ignored (docs/interface.md#runners).
 */
export function adoptRegistrationToken({ store, profile, log }: Pick<Core, 'store' | 'profile' | 'log'>, token: string): void {
  const state = stateIn(VARIABLE_ROW, profile.release);
  if (state !== 'removed') storeAdoptedHash(store, hashSecret(token));
  if (state === 'current') return;
  const { items, removedIn = '', replacement } = deprecationOf(VARIABLE_ROW);
  const effect =
    state === 'removed' ? `is ignored since release ${removedIn}` : `is deprecated and ends with release ${removedIn}`;
  log.warn(`the environment variable ${items.join()} ${effect}. ${replacement}`);
}
