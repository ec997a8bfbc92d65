import type { Store } from '../../store/open.ts';

export interface SecondFactorRow {
  readonly user_id: number;
  readonly sealed_secret: string;
  readonly made_at: number;
  /** Null during setup. */
  readonly enabled_at: number | null;
}

export function secondFactorOf(store: Store, userId: number): SecondFactorRow | undefined {
  return store.get<SecondFactorRow>('SELECT * FROM second_factors WHERE user_id = $userId', { userId });
}

/** Stores a secret that is not enabled yet. Replaces an earlier one unless that one is enabled. */
export function putSecondFactor(store: Store, userId: number, sealedSecret: string, now: number): void {
  store.run(
    `INSERT INTO second_factors (user_id, sealed_secret, made_at) VALUES ($userId, $sealedSecret, $now)
     ON CONFLICT (user_id) DO UPDATE SET sealed_secret = $sealedSecret, made_at = $now WHERE enabled_at IS NULL`,
    { userId, sealedSecret, now },
  );
}

/** Enables a second factor. Returns false if it was already enabled or its secret was replaced meanwhile. */
export function enableSecondFactor(store: Store, factor: SecondFactorRow, now: number): boolean {
  return (
    store.run(
      `UPDATE second_factors SET enabled_at = $now
       WHERE user_id = $userId AND sealed_secret = $sealedSecret AND enabled_at IS NULL`,
      { userId: factor.user_id, sealedSecret: factor.sealed_secret, now },
    ).changes === 1
  );
}

/** Removes a second factor with its recovery codes and spent time steps. Returns false if there was none. */
export function removeSecondFactor(store: Store, userId: number): boolean {
  store.run('DELETE FROM recovery_codes WHERE user_id = $userId', { userId });
  store.run('DELETE FROM spent_time_steps WHERE user_id = $userId', { userId });
  return store.run('DELETE FROM second_factors WHERE user_id = $userId', { userId }).changes === 1;
}

/** Marks a time step as used. Returns false if a code of this time step was used before. */
export function spendTimeStep(store: Store, userId: number, step: number, now: number): boolean {
  return (
    store.run('INSERT INTO spent_time_steps (user_id, step, spent_at) VALUES ($userId, $step, $now) ON CONFLICT DO NOTHING', {
      userId,
      step,
      now,
    }).changes === 1
  );
}

/** Replaces all recovery codes of a user. */
export function replaceRecoveryCodes(store: Store, userId: number, hashes: readonly string[]): void {
  store.run('DELETE FROM recovery_codes WHERE user_id = $userId', { userId });
  for (const hash of hashes)
    store.run('INSERT INTO recovery_codes (user_id, code_hash) VALUES ($userId, $hash)', { userId, hash });
}

/** Uses up a recovery code. Returns false if the user has no such code or has used it before. */
export function spendRecoveryCode(store: Store, userId: number, hash: string): boolean {
  return store.run('DELETE FROM recovery_codes WHERE user_id = $userId AND code_hash = $hash', { userId, hash }).changes === 1;
}

export function countRecoveryCodes(store: Store, userId: number): number {
  return store.get<{ n: number }>('SELECT count(*) AS n FROM recovery_codes WHERE user_id = $userId', { userId })?.n ?? 0;
}
