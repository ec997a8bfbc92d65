import { isReadOnly } from '../../git/git.ts';
import { isReadOnlySingle } from '../../git/single.ts';
import { repositoryReadOnly } from '../../../http/failures.ts';
import type { HttpResponse, RequestContext } from '../../../http/requestContext.ts';
import type { Route } from '../../../http/route.ts';
import type { User } from '../../identity/identity.ts';
import type { Platform } from '../../../platform.ts';
import { accessDenied } from '../credentials.ts';
import { type GitTarget, openForGit } from '../target.ts';
import { demandContentType } from '../transfer.ts';
import { advertiseReceivePack, refsOf } from './advertisement.ts';
import { receivePack } from './receivePack.ts';
import { refsOfSnippet } from './snippetPush.ts';

/** Returns the routes of pushes, except for the advertisement of refs. */
export function receivePackRoutes(platform: Platform): Route[] {
  return [
    {
      area: 'git',
      specRef: 'Git over HTTPS',
      status: 'stated',
      scopes: [],
      role: 'anyone',
      successStatus: 200,
      method: 'POST',
      path: '/*repository.git/git-receive-pack',
      handle: async (context): Promise<HttpResponse> => {
        const { target, user } = await openForPush(platform, context);
        demandContentType(context, 'git-receive-pack');
        return receivePack(platform, target, user, context);
      },
    },
  ];
}

/** Responds to the first request of a push with the refs of the repository. */
export async function announcePush(platform: Platform, context: RequestContext): Promise<HttpResponse> {
  const { target } = await openForPush(platform, context);
  await platform.repositories.git.demand();
  return advertiseReceivePack(
    target.kind === 'project' ? refsOf(platform, target.project.id) : refsOfSnippet(platform, target.snippet),
  );
}

/**
 * Returns the project or snippet of a push.
 *
 * @throws {WireFailure} like `openForGit`; 403 while the repository is moved to another storage.
 */
async function openForPush(
  platform: Platform,
  context: RequestContext,
): Promise<{ readonly target: GitTarget; readonly user: User }> {
  const { caller, target } = await openForGit(platform, context, 'push');
  if (caller === undefined) throw accessDenied(context, 'pushing requires credentials');
  const isMoving =
    target.kind === 'project'
      ? isReadOnly(platform.store, target.project.id)
      : isReadOnlySingle(platform, target.snippet.repository_id);
  if (isMoving) throw repositoryReadOnly();
  return { target, user: caller.user };
}
