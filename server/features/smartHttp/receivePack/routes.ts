import type { GitCore } from '../../../repositories/repositories.ts';
import { isReadOnly } from '../../git/git.ts';
import { isReadOnlySingle } from '../../singleBranchRepositories/singleBranchRepositories.ts';
import { refusedChange, repositoryReadOnly } from '../../../core/errors.ts';
import { statusOf } from '../../../http/refusalStatus.ts';
import { isRefusal } from '../../../http/wireFailure.ts';
import type { HttpResponse, RequestContext } from '../../../http/requestContext.ts';
import type { Route } from '../../../http/route.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { accessDenied } from '../credentials.ts';
import { demandPush, type GitTarget, openForGit } from '../target.ts';
import { demandContentType } from '../transfer.ts';
import { advertiseReceivePack, refsOf } from './advertisement.ts';
import { receivePack } from './receivePack.ts';
import { refsOfSnippet } from './snippetPush.ts';

/** Returns the routes of pushes, except for the advertisement of refs. */
export function receivePackRoutes(core: GitCore): Route[] {
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
      handle: (context) => receivePush(core, context),
    },
  ];
}

async function receivePush(core: GitCore, context: RequestContext): Promise<HttpResponse> {
  const { target, user } = await openForPush(core, context);
  demandContentType(context, 'git-receive-pack');
  return receivePack(core, { target, user, demandAccess: () => demandAccess(core, context, target) }, context);
}

/** @throws {Refused} if the sender of a push has lost the permission since it began. */
async function demandAccess(core: Core, context: RequestContext, target: GitTarget): Promise<void> {
  try {
    await demandPush(core, context, target);
  } catch (error) {
    if (!isRefusal(error) || statusOf(error) >= 500) throw error;
    throw refusedChange(`You were not allowed to push any more when the push was complete: ${error.reason}`, error.reason);
  }
}

/** Responds to the first request of a push with the refs of the repository. */
export async function announcePush(core: GitCore, context: RequestContext): Promise<HttpResponse> {
  const { target } = await openForPush(core, context);
  await core.repositories.git.demand();
  return advertiseReceivePack(target.kind === 'project' ? refsOf(core, target.project.id) : refsOfSnippet(core, target.snippet));
}

/**
 * Returns the project or snippet of a push.
 *
 * @throws {WireFailure} like `openForGit`; 403 while the repository is moved to another storage.
 */
async function openForPush(core: Core, context: RequestContext): Promise<{ readonly target: GitTarget; readonly user: User }> {
  const { caller, target } = await openForGit(core, context, 'push');
  if (caller === undefined) throw accessDenied(context, 'pushing requires credentials');
  const isMoving =
    target.kind === 'project' ? isReadOnly(core.store, target.project.id) : isReadOnlySingle(core, target.snippet.repository_id);
  if (isMoving) throw repositoryReadOnly();
  return { target, user: caller.user };
}
