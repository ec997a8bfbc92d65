import { randomBytes } from 'node:crypto';
import type { TOTP } from 'otpauth';
import { PRODUCT } from '../../src/contract/product.ts';
import { HOUR, SECOND } from '../clock.ts';
import type { Platform } from '../platform.ts';
import { seal, unseal } from '../sealing.ts';
import { hashSecret } from '../secrets.ts';
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
  type UserRow,
} from './store.ts';

/** What every authenticator app knows (RFC 6238): six digits by HMAC-SHA-1, new every 30 seconds. */
const SCHEME = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Of RFC 4226 §4, R6. */
const SECRET_BYTES = 20;
/** Codes of so many time steps before and after are good too: clocks differ, and typing takes time (RFC 6238 §6). */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 8;
/** A secret that was shown and not confirmed is shown again for so long. */
const SET_UP_LIFETIME = HOUR;

/** Whether signing in takes a code beside the password. */
export function hasSecondFactor({ store }: Platform, user: Pick<UserRow, 'id'>): boolean {
  return enabledFactor(store, user) !== undefined;
}

/** Since when, and how many recovery codes are left; undefined while it is off. */
export function secondFactorState(
  { store }: Platform,
  user: UserRow,
): { readonly since: number; readonly recoveryCodes: number } | undefined {
  const since = enabledFactor(store, user)?.enabled_at ?? undefined;
  return since === undefined ? undefined : { since, recoveryCodes: countRecoveryCodes(store, user.id) };
}

/** What an app is set up with. */
export interface Enrolment {
  /** In groups of four, for typing. */
  readonly secret: string;
  /** `otpauth://totp/…`, for the QR code. */
  readonly address: string;
}

/** The secret that the person is to give to their app: the one they were shown a while ago, or a new one. */
export async function enrolment(platform: Platform, user: UserRow, host: string): Promise<Enrolment> {
  const now = platform.clock.now();
  const begun = secondFactorOf(platform.store, user.id);
  const isFresh = begun !== undefined && begun.made_at <= now && now - begun.made_at < SET_UP_LIFETIME;
  const known = isFresh ? secretOf(platform, begun) : undefined;
  const secret = known ?? (await newSecret());
  if (known === undefined) putSecondFactor(platform.store, user.id, seal(platform, sealedAs(user.id), secret), now);
  const totp = await totpOf(secret, `${PRODUCT} ${host}`, user.username);
  return { secret: secret.replaceAll(/(.{4})(?=.)/g, '$1 '), address: totp.toString() };
}

/**
 * Switches the second factor on when a code proves that the app knows the secret. Answers the recovery codes, which are seen only now,
 * or why not.
 */
export async function enableSecondFactor(
  platform: Platform,
  user: UserRow,
  code: string,
): Promise<readonly string[] | 'wrong code' | 'not begun'> {
  const { store } = platform;
  const factor = secondFactorOf(store, user.id);
  const secret = factor === undefined ? undefined : secretOf(platform, factor);
  if (factor === undefined || factor.enabled_at !== null || secret === undefined) return 'not begun';
  const step = await stepOf(platform, secret, code);
  if (step === undefined) return 'wrong code';
  return store.transaction(() => {
    if (!markEnabled(store, factor, platform.clock.now())) return 'not begun';
    spendTimeStep(store, user.id, step, platform.clock.now());
    platform.changes.publish({ kind: 'secondFactorChanged', userId: user.id, enabled: true });
    return newRecoveryCodes(platform, user);
  });
}

/** Recovery codes in place of all there were, seen only now. */
export function newRecoveryCodes({ store }: Platform, user: UserRow): readonly string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(RECOVERY_BYTES).toString('hex'));
  store.transaction(() => replaceRecoveryCodes(store, user.id, codes.map(hashSecret)));
  return codes;
}

/** False when it was off. */
export function disableSecondFactor({ store, changes }: Platform, user: UserRow): boolean {
  return store.transaction(() => {
    const isOff = enabledFactor(store, user) !== undefined && removeSecondFactor(store, user.id);
    if (isOff) changes.publish({ kind: 'secondFactorChanged', userId: user.id, enabled: false });
    return isOff;
  });
}

/** `two_factor` of a list of people; a word that is none of the two filters nothing, as on the real platform. */
export function twoFactorFilter(sent: string | undefined): { readonly twoFactor?: boolean } {
  return sent === 'enabled' || sent === 'disabled' ? { twoFactor: sent === 'enabled' } : {};
}

export type CodeOutcome = 'accepted' | 'wrong' | 'used before' | 'unreadable';

/**
 * Spends a code of the person's app or one of their recovery codes. Each is good once. `unreadable`: this server has not the key with
 * which the secret was sealed, as after the database was moved without its folder.
 */
export async function spendCode(platform: Platform, user: UserRow, typed: string): Promise<CodeOutcome> {
  const { store, clock } = platform;
  const factor = enabledFactor(store, user);
  if (factor === undefined) return 'wrong';
  const code = typed.replaceAll(/[\s-]/g, '').toLowerCase();
  if (code.length === RECOVERY_BYTES * 2) return spendRecoveryCode(store, user.id, hashSecret(code)) ? 'accepted' : 'wrong';
  const secret = secretOf(platform, factor);
  if (secret === undefined) return 'unreadable';
  const step = await stepOf(platform, secret, code);
  if (step === undefined) return 'wrong';
  if (!spendTimeStep(store, user.id, step, clock.now())) return 'used before';
  return 'accepted';
}

function enabledFactor(store: Platform['store'], { id }: Pick<UserRow, 'id'>): SecondFactorRow | undefined {
  const factor = secondFactorOf(store, id);
  return factor === undefined || factor.enabled_at === null ? undefined : factor;
}

/** The time step of a code by the platform's clock; undefined for one that is not good now. */
async function stepOf(platform: Platform, secret: string, code: string): Promise<number | undefined> {
  const now = platform.clock.now();
  const token = code.replaceAll(/\s/g, '');
  // otpauth compares as many bytes as there are characters, and throws where those are not the same.
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

function secretOf(platform: Platform, factor: SecondFactorRow): string | undefined {
  return unseal(platform, sealedAs(factor.user_id), factor.sealed_secret);
}

function sealedAs(userId: number): string {
  return `second factor of user ${userId}`;
}
