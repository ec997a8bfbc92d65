import { isDomainError, Unavailable } from '../../../core/errors.ts';
import type { User } from '../../../core/caller.ts';
import type { RefMove } from '../../pushes/pushes.ts';
import { createMergeRequest, openOfBranch } from '../../mergeRequests/mergeRequests.ts';
import type { Core } from '../../../core/core.ts';
import { findProject, type FoundProject } from '../../projectAccess/projectAccess.ts';

/** Maximum number of branches whose merge requests are printed. */
const MAX_PRINTED = 10;

export interface FinishedPush {
  readonly moves: readonly RefMove[];
  readonly options: readonly string[];
  readonly baseUrl: string;
}

/** Creates merge requests by the options of a push, and returns the lines that GitLab prints after pushes to branches. */
export function afterPush(
  core: Core,
  { project }: FoundProject,
  user: User,
  { moves, options, baseUrl }: FinishedPush,
): string[] {
  const found = findProject(core, project.id, { user });
  if (found === undefined) return [];
  const { default_branch: defaultBranch, full_path: path } = found.project;
  const branches = moves.filter(({ kind, name, after }) => kind === 'branch' && after !== undefined && name !== defaultBranch);
  const given = optionsOf(options);
  const lines: string[] = [];
  for (const { name, commitTitle } of branches.slice(0, MAX_PRINTED)) {
    if (given.has('merge_request.create')) {
      const problem = create(core, found, user, { branch: name, title: commitTitle ?? name, given });
      if (problem !== undefined) lines.push('', 'WARNINGS:', `Error encountered with push options: ${problem}`);
    }
    const [open] = openOfBranch(core.store, 'source', found.project.id, name);
    const page = `${baseUrl}/${open?.project_path ?? path}/-/merge_requests`;
    lines.push(
      '',
      ...(open === undefined
        ? [
            `To create a merge request for ${name}, visit:`,
            `  ${page}/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(name)}`,
          ]
        : [`View merge request for ${name}:`, `  ${page}/${open.iid}`]),
    );
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Returns options such as `merge_request.target=main` by name. */
function optionsOf(options: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    options.map((option) => {
      const equals = option.indexOf('=');
      return equals < 0 ? [option, ''] : [option.slice(0, equals), option.slice(equals + 1)];
    }),
  );
}

/** Creates a merge request unless one is open. Returns the reason if that is not possible. */
function create(
  core: Core,
  found: FoundProject,
  user: User,
  { branch, title, given }: { readonly branch: string; readonly title: string; readonly given: ReadonlyMap<string, string> },
): string | undefined {
  if (openOfBranch(core.store, 'source', found.project.id, branch).length > 0) return undefined;
  try {
    createMergeRequest(core, { source: found, target: found }, user, {
      title: given.get('merge_request.title') ?? title,
      description: given.get('merge_request.description')?.replaceAll('\\n', '\n'),
      sourceBranch: branch,
      targetBranch: given.get('merge_request.target') ?? found.project.default_branch,
      removeSourceBranch: given.has('merge_request.remove_source_branch') ? true : undefined,
    });
    return undefined;
  } catch (error) {
    if (isDomainError(error) && !(error instanceof Unavailable)) return error.reason;
    throw error;
  }
}
