import type { Core } from '../../../core/core.ts';
import { branchHead, findTag, refPath } from '../../git/git.ts';
import { isProtected, isProtectedTag, type PushedRef } from '../../pushes/pushes.ts';
import { findUser } from '../../users/users.ts';
import type { Completion } from '../completion.ts';
import { longRepositoryMember, type NewPayload, type Place, projectMember } from './parts.ts';

/** Stands for the missing commit of a new or deleted ref. */
const NO_COMMIT = '0'.repeat(40);

/** Returns the payload of the push of a branch or tag. */
export function pushPayload(core: Core, place: Place, userId: number, pushed: PushedRef): NewPayload {
  const { project } = place;
  const { ref, refType, commitFrom, commitTo } = pushed;
  const isTag = refType === 'tag';
  const tag = isTag ? findTag(core, project.id, ref) : undefined;
  const user = findUser(core, userId);
  const name = isTag ? 'tag_push' : 'push';
  return {
    payload: {
      object_kind: name,
      event_name: name,
      before: commitFrom ?? NO_COMMIT,
      // An annotated tag is an object of its own.
      after: tag?.target ?? commitTo ?? NO_COMMIT,
      ref: refPath(refType, ref),
      ref_protected: isTag ? isProtectedTag(core, project, ref) : isProtected(core, project, ref),
      checkout_sha: commitTo,
      message: tag?.message ?? null,
      user_id: userId,
      user_name: user?.name ?? null,
      user_username: user?.username ?? null,
      user_email: user?.public_email ?? '',
      user_avatar: null,
      project_id: project.id,
      project: projectMember(place),
      commits: [],
      total_commits_count: isTag ? 0 : pushed.commitCount,
      push_options: {},
      repository: longRepositoryMember(place),
    },
    ...(isTag || commitTo === null ? {} : { completion: commitsOf(core, place, pushed, commitTo) }),
  };
}

/** A new branch brings the commits that the default branch lacks, and a new default branch all of its history. */
function commitsOf(core: Core, { project }: Place, { ref, commitFrom }: PushedRef, from: string): Completion {
  const known = ref === project.default_branch ? undefined : branchHead(core, project.id, project.default_branch);
  const start = commitFrom ?? known;
  return { kind: 'commits', projectId: project.id, from, without: start === undefined ? [] : [start] };
}
