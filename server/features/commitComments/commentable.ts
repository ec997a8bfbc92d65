import type { GitCore } from '../../repositories/repositories.ts';
import { openRepository } from '../git/git.ts';
import { type CommitObject, readChanges } from '../../repositories/objects.ts';
import { titleOf } from '../../repositories/names.ts';
import { badRequest } from '../../core/errors.ts';
import { emailHolder } from '../users/users.ts';
import { changedNote, type Commentable, type Noteable, type Position } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { isChangedLine } from './rules.ts';
import { commentedCommit, insertCommentedCommit } from './store.ts';

/** Number of a commit without comments, which no notes have. */
const NO_COMMENTS = 0;
/** Base of the first commit of a history. */
const NO_COMMIT = '0'.repeat(40);

/** Returns a commit as the owner of its comments. */
export function commitNoteable({ store }: Core, project: Pick<Project, 'id'>, sha: string): Noteable {
  const id = commentedCommit(store, project.id, sha) ?? NO_COMMENTS;
  return { type: 'Commit', id, iid: null, projectId: project.id, commitId: sha };
}

/** Returns a commit as a target of comments. `forWriting` gives a number to a commit that has had no comments. */
export function commentableCommit(
  core: GitCore,
  { project, access }: FoundProject,
  commit: CommitObject,
  forWriting: boolean,
): Commentable {
  const canWrite = access.isSignedIn && project.archived === 0;
  const known = commitNoteable(core, project, commit.id);
  const noteable = known.id === NO_COMMENTS && forWriting && canWrite ? begun(core, project, commit) : known;
  return {
    noteable,
    can: {
      readInternal: false,
      write: canWrite,
      writeInternal: false,
      administer: holdsRole(access, 'maintainer'),
      backdate: holdsRole(access, 'owner'),
      resolve: false,
    },
    added: (note, author) => {
      const on = { type: 'Commit', commit: { id: noteable.id, projectId: project.id, title: titleOf(commit.message) } } as const;
      core.changes.publish({ kind: 'noteCreated', note: changedNote(note), on, authorId: author.id });
    },
    quickActions: [],
    act: () => [],
    checkPosition: (position) => checkPosition(core, project, commit, position),
  };
}

function begun(core: Core, project: Project, commit: CommitObject): Noteable {
  const id = insertCommentedCommit(core.store, {
    project_id: project.id,
    sha: commit.id,
    title: titleOf(commit.message),
    message: commit.message,
    author_id: emailHolder(core, commit.author.email) ?? null,
  });
  return { type: 'Commit', id, iid: null, projectId: project.id, commitId: commit.id };
}

/** Throws `Refused` if a position is not in a file that the commit changes. */
async function checkPosition(core: GitCore, project: Project, commit: CommitObject, position: Position): Promise<void> {
  const isLine = position.position_type !== 'text' || position.new_line !== null || position.old_line !== null;
  const repository = await openRepository(core, project);
  const changes =
    repository === undefined || position.head_sha !== commit.id
      ? []
      : await readChanges(repository, commit.parents[0], commit.id);
  if (isLine && changes.some(({ newPath, oldPath }) => newPath === position.new_path || oldPath === position.old_path)) return;
  const text = 'Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';
  throw badRequest(text, 'the position is not in a file that the commit changes, or names no line');
}

/** Returns the position of a changed line; undefined if the commit does not change it. */
export async function positionOf(
  core: GitCore,
  project: Project,
  commit: CommitObject,
  { path, side, line }: { readonly path: string; readonly side: 'new' | 'old'; readonly line: number },
): Promise<Position | undefined> {
  const repository = await openRepository(core, project);
  if (repository === undefined) return undefined;
  const [parent] = commit.parents;
  const change = (await readChanges(repository, parent, commit.id)).find(({ newPath }) => newPath === path);
  if (change === undefined || !isChangedLine(change.patch, side, line)) return undefined;
  return {
    base_sha: parent ?? NO_COMMIT,
    start_sha: parent ?? NO_COMMIT,
    head_sha: commit.id,
    position_type: 'text',
    old_path: change.oldPath,
    new_path: change.newPath,
    old_line: side === 'old' ? line : null,
    new_line: side === 'new' ? line : null,
    line_range: null,
  };
}
