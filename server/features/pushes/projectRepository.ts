import type { GitCore } from '../../repositories/repositories.ts';
import { invalidRecord, refusedChange, repositoryReadOnly } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { isRefName, readmeAmong } from '../../repositories/names.ts';
import { rootFiles } from '../../repositories/objects.ts';
import type { Action } from '../../repositories/actions.ts';
import { createCommit } from './commits.ts';
import { hasBranches, inTurn, isReadOnly, openRepository, refOf, repositoryOf, writeReadme } from '../git/git.ts';

/** The part of a project's endpoints that works with its repository. */
export const projectRepository = { demandGit, initialise, demandDefaultBranch, followDefaultBranch };

/** Throws if a project could not be created with a first commit, before it is created. */
async function demandGit(core: GitCore, branch: string): Promise<void> {
  if (!isRefName(branch)) throw refusedChange('Branch name is invalid', 'not a valid Git ref name');
  await core.repositories.git.demand();
}

/**
 * Throws `Invalid` if a branch cannot become the default branch: a repository with branches must contain it. Throws `Unavailable` without
 * git.
 */
async function demandDefaultBranch(core: GitCore, projectId: number, branch: string): Promise<void> {
  if (isReadOnly(core.store, projectId)) throw repositoryReadOnly();
  if (repositoryOf(core.store, projectId) === undefined) return;
  if (refOf(core.store, projectId, 'branch', branch) === undefined && hasBranches(core.store, projectId)) {
    throw invalidRecord({ base: [`Could not change HEAD: branch '${branch}' does not exist`] });
  }
  await core.repositories.git.demand();
}

/** Updates the repository after a change of the default branch. */
async function followDefaultBranch(core: GitCore, found: FoundProject, user: User): Promise<void> {
  if (repositoryOf(core.store, found.project.id) === undefined) return;
  await inTurn(core, found, user, async ({ project }) => {
    const repository = await openRepository(core, project);
    const head = refOf(core.store, project.id, 'branch', project.default_branch);
    if (repository === undefined) return;
    const readme = head === undefined ? undefined : readmeAmong(await rootFiles(repository, head.commit_id));
    writeReadme(core.store, project.id, readme ?? null);
    await repository.git.run(repository.folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${project.default_branch}`]);
  });
}

/** Creates the first commit of a project: a readme with its name and description. */
async function initialise(core: GitCore, found: FoundProject, user: User): Promise<void> {
  const { name, description, default_branch: branch } = found.project;
  const text = `# ${name}\n${description === null || description === '' ? '' : `\n${description}\n`}`;
  const action: Action = { action: 'create', path: 'README.md', content: Buffer.from(text.toWellFormed()) };
  await createCommit(core, found, user, { branch, message: 'Initial commit', actions: [action] });
}
