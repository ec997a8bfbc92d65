import type { User } from '../../core/caller.ts';
import { randomBytes } from 'node:crypto';
import type { TOTP } from 'otpauth';
import { PRODUCT } from '../../../src/contract/product.ts';
import { HOUR, SECOND } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { hashSecret } from '../../core/secrets.ts';
import {
  countRecoveryCodes,
  enableSecondFactor as markEnabled,
  putSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
  secondFactorOf,
  type SecondFactorRow,
  spendRecoveryCode,
  spendTimeStep,
} from './store.ts';

/** TOTP parameters that every authenticator app supports (RFC 6238): six digits, HMAC-SHA-1, 30 seconds. */
const SCHEME = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Secret length recommended by RFC 4226 §4, R6. */
const SECRET_BYTES = 20;
/** Number of time steps before and after the current one whose codes are accepted; allows for clock drift and typing (RFC 6238 §6). */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 8;
/** Time for which an unconfirmed secret stays the same, in milliseconds. */
const SET_UP_LIFETIME = HOUR;

/** Returns true if the user needs a code in addition to the password. */
export function hasSecondFactor({ store }: Core, user: Pick<User, 'id'>): boolean {
  return enabledFactor(store, user) !== undefined;
}

/** Returns the time at which the second factor was enabled and the number of unused recovery codes; undefined if it is disabled. */
export function secondFactorState(
  { store }: Core,
  user: User,
): { readonly since: number; readonly recoveryCodes: number } | undefined {
  const since = enabledFactor(store, user)?.enabled_at ?? undefined;
  return since === undefined ? undefined : { since, recoveryCodes: countRecoveryCodes(store, user.id) };
}

/** Setup data for an authenticator app. */
export interface Enrolment {
  /** Secret in groups of four characters, for manual entry. */
  readonly secret: string;
  /** `otpauth://totp/…`, for the QR code. */
  readonly address: string;
}

/** Returns the setup data of a user: the pending secret if it was created recently, otherwise a new one. */
export async function enrolment(core: Core, user: User, host: string): Promise<Enrolment> {
  const now = core.clock.now();
  const pending = secondFactorOf(core.store, user.id);
  const isFresh = pending !== undefined && pending.made_at <= now && now - pending.made_at < SET_UP_LIFETIME;
  const existing = isFresh ? secretOf(core, pending) : undefined;
  const secret = existing ?? (await newSecret());
  if (existing === undefined) putSecondFactor(core.store, user.id, seal(core, sealedAs(user.id), secret), now);
  const totp = await totpOf(secret, `${PRODUCT} ${host}`, user.username);
  return { secret: secret.replaceAll(/(.{4})(?=.)/g, '$1 '), address: totp.toString() };
}

/**
 * Enables the second factor if a code proves that the app knows the secret. Returns the recovery codes, which cannot be read again, or
 * the reason for the refusal.
 */
export async function enableSecondFactor(
  core: Core,
  user: User,
  code: string,
): Promise<readonly string[] | 'wrong code' | 'not started'> {
  const { store } = core;
  const factor = secondFactorOf(store, user.id);
  const secret = factor === undefined ? undefined : secretOf(core, factor);
  if (factor === undefined || factor.enabled_at !== null || secret === undefined) return 'not started';
  const step = await stepOf(core, secret, code);
  if (step === undefined) return 'wrong code';
  return store.transaction(() => {
    if (!markEnabled(store, factor, core.clock.now())) return 'not started';
    spendTimeStep(store, user.id, step, core.clock.now());
    core.changes.publish({ kind: 'secondFactorChanged', userId: user.id, enabled: true });
    return newRecoveryCodes(core, user);
  });
}

/** Replaces all recovery codes of a user and returns the new ones, which cannot be read again. */
export function newRecoveryCodes({ store }: Core, user: User): readonly string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(RECOVERY_BYTES).toString('hex'));
  store.transaction(() => replaceRecoveryCodes(store, user.id, codes.map(hashSecret)));
  return codes;
}

/** Disables the second factor. Returns false if it was not enabled. */
export function disableSecondFactor({ store, changes }: Core, user: User): boolean {
  return store.transaction(() => {
    const isRemoved = enabledFactor(store, user) !== undefined && removeSecondFactor(store, user.id);
    if (isRemoved) changes.publish({ kind: 'secondFactorChanged', userId: user.id, enabled: false });
    return isRemoved;
  });
}

/** Reads the parameter `two_factor` of the users list; GitLab ignores unknown values. */
export function twoFactorFilter(sent: string | undefined): { readonly twoFactor?: boolean } {
  return sent === 'enabled' || sent === 'disabled' ? { twoFactor: sent === 'enabled' } : {};
}

export type CodeOutcome = 'accepted' | 'wrong' | 'used before' | 'unreadable';

/**
 * Uses up a code of the authenticator app or a recovery code; each is accepted once. Returns `unreadable` if the server lacks the key that
 * encrypted the secret, for example after the database was moved without its data folder.
 */
export async function spendCode(core: Core, user: User, typed: string): Promise<CodeOutcome> {
  const { store, clock } = core;
  const factor = enabledFactor(store, user);
  if (factor === undefined) return 'wrong';
  const code = typed.replaceAll(/[\s-]/g, '').toLowerCase();
  if (code.length === RECOVERY_BYTES * 2) return spendRecoveryCode(store, user.id, hashSecret(code)) ? 'accepted' : 'wrong';
  const secret = secretOf(core, factor);
  if (secret === undefined) return 'unreadable';
  const step = await stepOf(core, secret, code);
  if (step === undefined) return 'wrong';
  if (!spendTimeStep(store, user.id, step, clock.now())) return 'used before';
  return 'accepted';
}

function enabledFactor(store: Core['store'], { id }: Pick<User, 'id'>): SecondFactorRow | undefined {
  const factor = secondFactorOf(store, id);
  return factor === undefined || factor.enabled_at === null ? undefined : factor;
}

/** Returns the time step of a code by the server's clock; undefined for a code that is not valid now. */
async function stepOf(core: Core, secret: string, code: string): Promise<number | undefined> {
  const now = core.clock.now();
  const token = code.replaceAll(/\s/g, '');
  // otpauth throws for codes whose length in bytes differs from their length in characters.
  if (!/^[0-9]+$/.test(token)) return undefined;
  const delta = (await totpOf(secret)).validate({ token, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / SECOND / SCHEME.period) + delta;
}

async function totpOf(secret: string, issuer = '', label = ''): Promise<TOTP> {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({ ...SCHEME, issuer, label, secret: Secret.fromBase32(secret) });
}

async function newSecret(): Promise<string> {
  const { Secret } = await import('otpauth');
  return new Secret({ size: SECRET_BYTES }).base32;
}

function secretOf(core: Core, factor: SecondFactorRow): string | undefined {
  return unseal(core, sealedAs(factor.user_id), factor.sealed_secret);
}

function sealedAs(userId: number): string {
  return `second factor of user ${userId}`;
}
