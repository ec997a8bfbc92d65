import { invalidRecord, notFound } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isLongerThan } from '../../support/textLength.ts';
import { readPublicKey } from './publicKey.ts';
import { deleteKey, insertKey, isDeployKey, isKeyOfUser, keyById, type SshKeyRow, type UsageType } from './store.ts';

// Public SSH keys of users. They are records only, because this server has no SSH.

const MAX_TITLE = 255;

export interface NewSshKey {
  readonly title: string;
  readonly key: string;
  readonly usageType: UsageType;
  readonly expiresAt: number | undefined;
}

/**
 * Adds a key to a user.
 *
 * @throws {Invalid} for validation errors, such as a key that a user or a project has already.
 */
export function addSshKey({ store, clock }: Core, user: User, input: NewSshKey): SshKeyRow {
  const { title, expiresAt } = input;
  if (title.trim() === '') throw invalidRecord({ title: ["can't be blank"] });
  if (isLongerThan(title, MAX_TITLE)) throw invalidRecord({ title: [`is too long (maximum is ${MAX_TITLE} characters)`] });
  const read = readPublicKey(input.key);
  if (read === undefined) throw invalidRecord({ key: ['is invalid'], fingerprint_sha256: ['cannot be generated'] });
  const { text, fingerprint, fingerprintSha256 } = read;
  const now = clock.now();
  if (expiresAt !== undefined && expiresAt <= now) throw invalidRecord({ key: ['has expired'] });
  return store.transaction(() => {
    if (isKeyOfUser(store, fingerprintSha256) || isDeployKey(store, fingerprintSha256)) {
      throw invalidRecord({ fingerprint_sha256: ['has already been taken'] });
    }
    const key = {
      user_id: user.id,
      title,
      key: text,
      fingerprint,
      fingerprint_sha256: fingerprintSha256,
      usage_type: input.usageType,
      created_at: now,
      expires_at: expiresAt ?? null,
    };
    return { id: insertKey(store, key), ...key };
  });
}

/** @throws {NotFound} if the user has no such key. */
export function mustFindSshKey({ store }: Core, user: Pick<User, 'id'>, id: number): SshKeyRow {
  const key = keyById(store, id);
  if (key?.user_id !== user.id) throw notFound('Key');
  return key;
}

export function removeSshKey({ store }: Core, { id }: SshKeyRow): void {
  deleteKey(store, id);
}
