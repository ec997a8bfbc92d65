import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { branchHead, findCommit } from '../git/git.ts';
import { mayPush } from '../pushes/pushes.ts';
import { titleOf } from '../../repositories/names.ts';
import { notFound, recordNotFound, type DomainError, Invalid, Refused, Unavailable, isDomainError } from '../../core/errors.ts';
import { statusOf } from '../../http/refusalStatus.ts';
import type { Route } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject, type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';
import { choiceOf, formTokenField, type Markup, notice, type PageContent, textArea, textField } from '../../web/layout.ts';
import type { Redirection } from '../../web/route.ts';
import { createMergeRequest, mayWrite } from './manageMergeRequests.ts';
import { openOfBranch } from './store.ts';
import { MAX_TITLE_LENGTH } from './rules.ts';

/** Values of the form by the names of its fields, as in `merge_request[title]`. */
type Draft = Readonly<Record<FieldName, string>>;

const fieldNames = ['source_branch', 'target_project_id', 'target_branch', 'title', 'description'] as const;
type FieldName = (typeof fieldNames)[number];

/** Reasons of a refusal: for the whole form, and for single fields. */
interface Problem {
  readonly status: number;
  readonly text?: Markup | string | undefined;
  readonly fields?: Readonly<Record<string, string>>;
}

/** The form for a new merge request, which git links after a push. */
export function newMergeRequestPages(core: GitCore): Route[] {
  const metadata = { specRef: 'Web addresses', status: 'local', role: 'user' } as const;
  return [
    projectPageRoute({ ...metadata, method: 'GET', path: '/*full_path/-/merge_requests/new' }, (request) =>
      showForm(core, request),
    ),
    projectPageRoute({ ...metadata, method: 'POST', path: '/*full_path/-/merge_requests' }, (request) => sendForm(core, request)),
  ];
}

async function showForm(core: GitCore, found: ProjectPageRequest): Promise<PageContent> {
  const { user } = signedIn(found);
  const refusal = refusalFor(found);
  if (refusal !== undefined) return refused(found, refusal);
  const targets = targetsOf(core, found, user);
  const draft = await firstDraft(core, found, targets, draftOf(found.query));
  return content(found, targets, draft, openProblem(core, found, draft));
}

function sendForm(core: GitCore, found: ProjectPageRequest): PageContent | Redirection {
  const { user } = signedIn(found);
  const refusal = refusalFor(found);
  if (refusal !== undefined) return refused(found, refusal);
  return create(core, found, user);
}

function signedIn({ caller }: ProjectPageRequest): { readonly user: User } {
  if (caller === undefined) throw notFound('Page', 'no user is signed in');
  return caller;
}

/** Returns the reason why the user can open no merge request from the project. Throws `NotFound` if they can see none. */
function refusalFor(found: ProjectPageRequest): string | undefined {
  const { project, can } = found;
  if (!can.readMergeRequests)
    throw recordNotFound('viewing merge requests of a private project requires at least the reporter role');
  if (project.archived === 1) return 'This project is archived. Unarchive it to create merge requests.';
  return mayPush(found)
    ? undefined
    : 'Creating a merge request from a branch of this project requires at least the Developer role.';
}

function refused({ project, context }: ProjectPageRequest, text: string): PageContent {
  context.noteRefusal('mergeRequest.create', text);
  return page(project, 403, notice('error', text));
}

/** Returns the projects that can be merged into, the default one first: the source of a fork, and the project itself. */
function targetsOf(core: Core, found: FoundProject, user: User): readonly [FoundProject, ...FoundProject[]] {
  const { forked_from_id: sourceId, mr_default_target_self: isOwnFirst } = found.project;
  const source = sourceId === null ? undefined : findProject(core, sourceId, { user });
  if (source === undefined || !mayWrite(source)) return [found];
  return isOwnFirst === 1 ? [found, source] : [source, found];
}

/** Reads the values from a query or a form. */
function draftOf(values: URLSearchParams): Partial<Draft> {
  return Object.fromEntries(
    fieldNames.flatMap((name) => {
      const value = values.get(`merge_request[${name}]`);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Completes the values of a link. The title is that of the newest commit. */
async function firstDraft(
  core: GitCore,
  { project }: FoundProject,
  [target, ...others]: readonly [FoundProject, ...FoundProject[]],
  given: Partial<Draft>,
): Promise<Draft> {
  const chosen = others.find((other) => String(other.project.id) === given.target_project_id) ?? target;
  const branch = given.source_branch ?? '';
  const head = branchHead(core, project.id, branch);
  const commit = head === undefined || given.title !== undefined ? undefined : await findCommit(core, project, head);
  return {
    source_branch: branch,
    target_project_id: String(chosen.project.id),
    target_branch: given.target_branch ?? chosen.project.default_branch,
    title: given.title ?? [...titleOf(commit?.message ?? '')].slice(0, MAX_TITLE_LENGTH).join(''),
    description: given.description ?? '',
  };
}

/** Returns the problem of a link: its branch does not exist, or already has an open merge request. */
function openProblem(core: Core, { project }: FoundProject, draft: Draft): Problem | undefined {
  const { source_branch: branch, target_branch: target, target_project_id: targetId } = draft;
  if (branch === '') return undefined;
  if (branchHead(core, project.id, branch) === undefined) {
    return { status: 200, fields: { source_branch: `The branch ${branch} does not exist in ${project.full_path}.` } };
  }
  const open = openOfBranch(core.store, 'source', project.id, branch).find(
    (other) => String(other.project_id) === targetId && other.target_branch === target,
  );
  return open === undefined ? undefined : { status: 200, text: existing(open.project_path, open.iid, branch, target) };
}

function existing(path: string, iid: number, branch: string, target: string): Markup {
  return html`The merge request <a href="/${path}/-/merge_requests/${iid}">!${iid}</a> from <code>${branch}</code> into <code>${target}</code> is open already.`;
}

/** Creates the merge request, and redirects to it. */
function create(core: Core, found: ProjectPageRequest, user: User): PageContent | Redirection {
  const targets = targetsOf(core, found, user);
  const given = draftOf(found.form);
  const draft: Draft = {
    source_branch: given.source_branch?.trim() ?? '',
    target_project_id: given.target_project_id ?? String(targets[0].project.id),
    target_branch: given.target_branch?.trim() ?? '',
    title: given.title?.trim() ?? '',
    description: (given.description ?? '').replaceAll('\r\n', '\n'),
  };
  const target = targets.find(({ project }) => String(project.id) === draft.target_project_id);
  try {
    if (target === undefined)
      throw notFound('Project', 'the target project is neither this project nor the one it was forked from');
    const { iid } = createMergeRequest(core, { source: found, target }, user, {
      title: draft.title,
      description: draft.description === '' ? undefined : draft.description,
      sourceBranch: draft.source_branch,
      targetBranch: draft.target_branch,
    });
    return { redirectTo: `/${target.project.full_path}/-/merge_requests/${iid}` };
  } catch (error) {
    if (!isDomainError(error) || error instanceof Unavailable) throw error;
    found.context.noteRefusal(error.rule, error.reason);
    const problem = problemOf(error);
    const known = openProblem(core, found, draft);
    const fields = { ...problem.fields, ...known?.fields };
    return content(found, targets, draft, { ...problem, ...(known === undefined ? {} : { ...known, status: 422 }), fields });
  }
}

const labels: Readonly<Record<string, string>> = {
  source_branch: 'The source branch',
  target_branch: 'The target branch',
  title: 'The title',
};

/** Returns a refusal in words. */
function problemOf(error: DomainError): Problem {
  if (error instanceof Refused && typeof error.text !== 'string') return { status: 422, text: `${error.text.join('. ')}.` };
  if (!(error instanceof Invalid)) {
    return {
      status: statusOf(error),
      text: `${error.reason.slice(0, 1).toUpperCase()}${error.reason.slice(1)}.`,
    };
  }
  const fields: Record<string, string> = {};
  for (const [name, texts] of Object.entries(error.fields)) fields[name] = `${labels[name] ?? name} ${texts.join(', ')}.`;
  return { status: 422, fields };
}

function content(
  { project, formToken }: ProjectPageRequest,
  targets: readonly FoundProject[],
  draft: Draft,
  problem: Problem | undefined,
): PageContent {
  const field = (name: FieldName) => ({ name: `merge_request[${name}]`, value: draft[name], error: problem?.fields?.[name] });
  return page(
    project,
    problem?.status ?? 200,
    html`${problem?.text === undefined ? '' : notice('error', problem.text)}
<form method="post" action="/${project.full_path}/-/merge_requests">
${formTokenField(formToken())}
${textField({ ...field('source_branch'), label: 'Source branch', autocomplete: 'off', className: 'mono' })}
${
  targets.length === 1
    ? ''
    : choiceOf({
        ...field('target_project_id'),
        legend: 'Target project',
        choices: targets.map((target) => ({ value: String(target.project.id), label: target.project.full_path })),
      })
}
${textField({ ...field('target_branch'), label: 'Target branch', autocomplete: 'off', className: 'mono' })}
${textField({ ...field('title'), label: 'Title', autocomplete: 'off', hint: 'Begin it with “Draft:” to mark the merge request as a draft.' })}
${textArea({ ...field('description'), label: 'Description (optional)', hint: 'Markdown. “Closes #1” closes an issue when this is merged.', optional: true })}
<div class="actions"><button type="submit">Create merge request</button></div>
</form>`,
  );
}

function page(project: FoundProject['project'], status: number, body: Markup): PageContent {
  return {
    title: `New merge request · ${project.name}`,
    heading: 'New merge request',
    status,
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> <a href="/${project.full_path}/-/merge_requests">merge requests</a></p>
${body}
</div>`,
  };
}
