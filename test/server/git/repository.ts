import { createCommit } from '../../../server/features/pushes/commits.ts';
import type { Action } from '../../../server/repositories/actions.ts';
import type { Platform } from '../../../server/platform.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, seenBy } from '../projects/cast.ts';

/** Commits files to a branch as a user with permission. */
export function commitFiles(
  platform: Platform,
  found: FoundProject,
  { user }: Actor,
  files: Readonly<Record<string, string>>,
  input: { readonly branch?: string; readonly startBranch?: string; readonly message?: string } = {},
): Promise<string> {
  const actions = Object.entries(files).map(([path, text]): Action => ({ action: 'create', path, content: Buffer.from(text) }));
  const { branch = 'main', message = 'Files', startBranch } = input;
  return createCommit(platform, seenBy(platform, found, { user }), user, { branch, message, actions, startBranch });
}
