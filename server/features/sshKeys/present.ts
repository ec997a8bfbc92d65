import { isoTime } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { User } from '../../core/caller.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { personalNamespaceId } from '../users/users.ts';
import { presentUserPrivate } from '../profiles/profiles.ts';
import type { sshKey, sshKeyWithUser } from './responses.ts';
import type { SshKeyRow } from './store.ts';
import { baseHost } from '../../support/baseHost.ts';

/** Presents a key of a user. The comment of the key, which may be an email address, is replaced by the name of the user and the host. */
export function presentSshKey(row: SshKeyRow, { name }: Pick<User, 'name'>, baseUrl: string): ResponseOf<typeof sshKey> {
  const [type, content] = row.key.split(/[ \t]+/, 2);
  return {
    id: row.id,
    title: row.title,
    created_at: isoTime(row.created_at),
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
    key: `${type} ${content} ${name} (${baseHost(baseUrl).hostname})`,
    usage_type: row.usage_type,
  };
}

/** Presents a key with its user, for administrators. */
export function presentKeyWithUser(
  core: Core,
  row: SshKeyRow,
  user: User,
  { baseUrl, viewer }: { readonly baseUrl: string; readonly viewer: number },
): ResponseOf<typeof sshKeyWithUser> {
  const options = { namespaceId: personalNamespaceId(core, user), withAdmin: true, viewer };
  return { ...presentSshKey(row, user, baseUrl), user: presentUserPrivate(core, user, baseUrl, options) };
}
