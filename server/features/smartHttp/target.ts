import { mayPush } from '../pushes/pushes.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { Core } from '../../core/core.ts';
import { findMovedProject, findProject, findProjectForReading, type FoundProject } from '../projectAccess/projectAccess.ts';
import { findSnippet, type FoundSnippet } from '../snippets/snippets.ts';
import { isAdmitted } from '../jobTokens/jobTokens.ts';
import { isTokenOf } from '../deployTokens/deployTokens.ts';
import {
  accessDenied,
  type DeployTokenOfGit,
  type GitCaller,
  gitCaller,
  type GitOperation,
  gitScopes,
  type UserOfGit,
} from './credentials.ts';

/** A project or snippet whose repository can be used by the sender of a request. */
export type GitTarget = ({ readonly kind: 'project' } & FoundProject) | ({ readonly kind: 'snippet' } & FoundSnippet);

/** A request of git with permission for its operation. */
export interface GitRequest {
  /** Undefined for anonymous fetches of public repositories. */
  readonly caller: UserOfGit | undefined;
  readonly target: GitTarget;
}

/**
 * Authenticates the sender of a request and returns the project or snippet of its path, whose repository may be empty. Pushes additionally
 * need the permission to change each ref.
 *
 * @throws {WireFailure} 401, 403 or 404 (docs/interface.md#git-over-https); 301 for the former path of a project.
 */
export async function openForGit(core: Core, context: RequestContext, operation: GitOperation): Promise<GitRequest> {
  const caller = await gitCaller(core, context);
  const path = context.pathParameters['repository'] ?? '';
  if (caller?.kind === 'deployToken') return openWithDeployToken(core, context, caller, operation);
  const found = findProject(core, path, caller);
  if (found !== undefined) {
    if (!isAdmitted(core, caller?.job, found.project, operation === 'fetch')) {
      const text = `Authentication by CI/CD job token not allowed to ${found.project.full_path}.`;
      throw refused(text, 'Add the project of the job to the job token allowlist.', 'jobToken.reach');
    }
    demandProject(context, caller, found, operation);
    return { caller, target: { kind: 'project', ...found } };
  }
  const snippet = caller?.job === undefined ? snippetAt(core, path, caller) : undefined;
  if (snippet !== undefined) {
    demandSnippet(context, caller, snippet, operation);
    return { caller, target: { kind: 'snippet', ...snippet } };
  }
  const moved = findMovedProject(core, path, caller);
  if (moved !== undefined) throw movedProject(context, path, moved);
  if (caller === undefined) throw accessDenied(context, 'nothing public has this path');
  throw unknownPath(path);
}

/**
 * Authenticates the sender of a push again, whose project or snippet was opened by `openForGit`.
 *
 * @throws {WireFailure} 401, 403 or 404 if the sender can no longer push to it.
 */
export async function demandPush(core: Core, context: RequestContext, target: GitTarget): Promise<void> {
  const caller = await gitCaller(core, context);
  const user = caller?.kind === 'user' ? caller : undefined;
  if (target.kind === 'project') {
    const found = findProject(core, target.project.id, user);
    if (found === undefined) throw unknownPath(target.project.full_path);
    demandProject(context, caller, found, 'push');
  } else {
    const found = findSnippet(core, target.snippet.id, user);
    if (found === undefined) throw unknownPath(context.pathParameters['repository'] ?? '');
    demandSnippet(context, caller, found, 'push');
  }
}

/**
 * Returns the project of a request with a deploy token: one that the token belongs to, directly or through a group, or a public one.
 *
 * @throws {WireFailure} 403 or 404
 */
function openWithDeployToken(core: Core, context: RequestContext, caller: DeployTokenOfGit, operation: GitOperation): GitRequest {
  const path = context.pathParameters['repository'] ?? '';
  const found =
    findProjectForReading(core, path, ({ id }) => isTokenOf(core, caller.token, id)) ?? findProject(core, path, undefined);
  if (found === undefined) throw unknownPath(path);
  if (operation === 'push')
    throw refused('You are not allowed to push code to this project.', 'Deploy tokens can only fetch.', 'deployToken.push');
  demandProject(context, caller, found, operation);
  return { caller: undefined, target: { kind: 'project', ...found } };
}

function unknownPath(path: string): WireFailure {
  return new WireFailure(
    404,
    isSnippetPath(path)
      ? 'The snippet you were looking for could not be found.'
      : "The project you were looking for could not be found or you don't have permission to view it.",
    { rule: 'resource.found', reason: 'no project or snippet has this path, or it is not visible to the caller' },
  );
}

const snippetPath = /^(?:(?<project>.+)\/)?snippets\/(?<id>\d{1,10})$/;

function isSnippetPath(path: string): boolean {
  return snippetPath.test(path);
}

function snippetAt(core: Core, path: string, caller: UserOfGit | undefined): FoundSnippet | undefined {
  const { project, id } = snippetPath.exec(path)?.groups ?? {};
  const found = id === undefined ? undefined : findSnippet(core, Number(id), caller);
  if (found === undefined) return undefined;
  const { project_id: projectId, project_path: projectPath } = found.snippet;
  if (projectPath === (project ?? null)) return found;
  const isFormerPath = project !== undefined && findMovedProject(core, project, caller)?.project.id === projectId;
  return isFormerPath ? found : undefined;
}

/** @throws {WireFailure} 401 or 403 if the caller cannot carry out the operation. */
function demandProject(
  context: RequestContext,
  caller: GitCaller | undefined,
  found: FoundProject,
  operation: GitOperation,
): void {
  const { project, can } = found;
  if (operation === 'fetch') {
    if (project.visibility === 'public' && can.readCode) return;
    const text = 'You are not allowed to download code from this project.';
    if (caller === undefined) throw accessDenied(context, 'the project is not public');
    demandScope(caller, operation, text);
    if (!can.readCode) throw refused(text, 'Fetching a private project requires at least the reporter role.', 'ability.readCode');
    return;
  }
  const text = 'You are not allowed to push code to this project.';
  if (caller === undefined) throw accessDenied(context, 'pushing requires credentials');
  demandScope(caller, operation, text);
  if (project.archived === 1)
    throw refused("You can't push code to an archived project.", 'Unarchive it to push to it.', 'ability.push');
  if (!mayPush(found)) throw refused(text, 'Pushing requires at least the developer role.', 'ability.push');
}

/** @throws {WireFailure} 401 or 403 if the caller cannot carry out the operation. */
function demandSnippet(
  context: RequestContext,
  caller: GitCaller | undefined,
  { snippet, mayChange }: FoundSnippet,
  operation: GitOperation,
): void {
  if (operation === 'fetch') {
    if (snippet.visibility === 'public') return;
    if (caller === undefined) throw accessDenied(context, 'the snippet is not public');
    demandScope(caller, operation, 'You are not allowed to read this snippet.');
    return;
  }
  const text = 'You are not allowed to update this snippet.';
  if (caller === undefined) throw accessDenied(context, 'pushing requires credentials');
  demandScope(caller, operation, text);
  if (!mayChange)
    throw refused(text, 'Only its author, and maintainers of its project unless it is archived, can update it.', 'ability.push');
}

/** @throws {WireFailure} 403 if the scopes of a token do not allow the operation. */
function demandScope({ scopes }: GitCaller, operation: GitOperation, text: string): void {
  const accepted = gitScopes[operation];
  if (scopes === undefined || accepted.some((scope) => scopes.includes(scope))) return;
  const remedy = `The token has the scopes ${scopes.join(', ')}, but one of these is required: ${accepted.join(', ')}.`;
  throw refused(text, remedy, 'scope');
}

/** Returns a 403 with a message of GitLab and a sentence that says what would be allowed. */
function refused(text: string, remedy: string, rule: string): WireFailure {
  return new WireFailure(403, `${text}\n${remedy}`, { rule, reason: remedy });
}

/** Returns the response to a request for the former path of a project. Only the first request of a transfer can be redirected. */
function movedProject(context: RequestContext, path: string, { project }: FoundProject): WireFailure {
  const address = `${context.baseUrl}/${project.full_path}.git`;
  const note = { rule: 'project.moved', reason: `the project is now ${project.full_path}` };
  if (context.method !== 'GET') {
    const text = `Project '${path}' was moved to '${project.full_path}'.\nUpdate the address of your remote:\n  git remote set-url origin ${address}`;
    return new WireFailure(404, text, note);
  }
  const location = `${address}/info/refs${context.query === '' ? '' : `?${context.query}`}`;
  return new WireFailure(301, `This resource has been moved permanently to ${location}`, note, { Location: location });
}
