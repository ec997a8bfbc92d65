import type { GitCore } from '../../repositories/repositories.ts';
import { isNewest } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { rawResponse } from '../../http/fileContent.ts';
import { content, listOf } from '../../http/responses.ts';
import { demandOneOf, refuseTogether } from '../../http/combinations.ts';
import { forbidden, invalidParameters, notFound } from '../../core/errors.ts';
import { type OffsetRequest, offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, filled, integer, oneOf, required, string, time, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, openRoute, RawResponse, type Route, userRoute, type RequestOf } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { type Commentable, noteRoutes } from '../notes/notes.ts';
import {
  accessOf,
  type FoundProject,
  openProjectRoute,
  type ProjectRequest,
  projectRoute,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { visibilities, type Visibility, visibleProjectsSql } from '../abilities/abilities.ts';
import { findSnippet, visibleSnippetsSql } from './access.ts';
import { snippetResponse } from './responses.ts';
import { commentableSnippet } from './commentable.ts';
import { changedFiles, newFiles } from './parameters.ts';
import { presentSnippets } from './present.ts';
import { createSnippet, deleteSnippet, filesOf, readSnippetFile, type Snippet, updateSnippet } from './manageSnippets.ts';
import { countSnippets, listSnippets, type SnippetFilter } from './store.ts';

/** Maximum size of a request with file content, in bytes. */
const MAX_SNIPPET_BYTES = 10 * 1024 * 1024;

const contentParameters = () => ({ description: string(), file_name: string(), content: string() });

const visibility = oneOf<Visibility>(visibilities);
const newValues = () => ({ title: filled(), ...contentParameters(), files: newFiles() });
const changedValues = () => ({ title: string(), ...contentParameters(), files: changedFiles(), visibility: visibility() });

type PresentContext = Pick<ApiRequest<unknown>, 'baseUrl' | 'caller' | 'linkParameters' | 'hasSent'>;

const metadata = { specRef: 'Snippets', status: 'inferred' } as const;

const byId = { ...metadata, key: 'id' } as const;

const dated = () => ({ created_after: time(), created_before: time(), ...pageParameters() });

const personal = '/api/v4/snippets';

const ofProject = '/api/v4/projects/:id/snippets';

const numbered = () => ({ id: required(integer) });

const inProject = () => ({ id: required(string), snippet_id: required(integer) });

const file = { ref: required(string), file_path: required(string) };

const showRawFileParameters = () => ({ ...numbered(), ...file });

const createPersonalParameters = () => ({ ...newValues(), visibility: fallback<Visibility>('internal', visibility) });

const updatePersonalParameters = () => ({ ...numbered(), ...changedValues() });

const listOfProjectParameters = () => ({ id: required(string), ...pageParameters() });

const showRawFileOfProjectParameters = () => ({ ...inProject(), ...file });

const createOfProjectParameters = () => ({ id: required(string), ...newValues(), visibility: required(visibility) });

const updateOfProjectParameters = () => ({ ...inProject(), ...changedValues() });

/** Returns the routes of the snippets of users and projects. */
export function snippetRoutes(core: GitCore): Route[] {
  return [...personalSnippetRoutes(core), ...projectSnippetRoutes(core)];
}

function personalSnippetRoutes(core: GitCore): Route[] {
  return [
    userRoute({ ...metadata, method: 'GET', path: personal, body: listOf(snippetResponse), params: dated }, (request) =>
      listOwn(core, request),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: `${personal}/public`, body: listOf(snippetResponse), params: dated },
      (request) => listPublic(core, request),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: `${personal}/all`, body: listOf(snippetResponse), addedIn: '16.3', params: dated },
      (request) => listAll(core, request),
    ),
    openRoute({ ...byId, method: 'GET', path: `${personal}/:id`, body: snippetResponse, params: numbered }, (request) =>
      show(core, request),
    ),
    openRoute({ ...byId, method: 'GET', path: `${personal}/:id/raw`, body: content, params: numbered }, (request) =>
      showRaw(core, request),
    ),
    openRoute(
      {
        ...byId,
        method: 'GET',
        path: `${personal}/:id/files/:ref/:file_path/raw`,
        body: content,
        params: showRawFileParameters,
      },
      (request) => showRawFile(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: personal,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: createPersonalParameters,
      },
      (request) => createPersonal(core, request),
    ),
    userRoute(
      {
        ...byId,
        method: 'PUT',
        path: `${personal}/:id`,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: updatePersonalParameters,
      },
      (request) => updatePersonal(core, request),
    ),
    userRoute({ ...byId, method: 'DELETE', path: `${personal}/:id`, params: numbered }, (request) =>
      removePersonal(core, request),
    ),
  ];
}

function projectSnippetRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      {
        ...byId,
        method: 'GET',
        path: ofProject,
        body: listOf(snippetResponse),
        params: listOfProjectParameters,
      },
      (request) => listOfProject(core, request),
    ),
    openProjectRoute(
      { ...byId, method: 'GET', path: `${ofProject}/:snippet_id`, body: snippetResponse, params: inProject },
      (request) => showOfProject(core, request),
    ),
    openProjectRoute(
      { ...byId, method: 'GET', path: `${ofProject}/:snippet_id/raw`, body: content, params: inProject },
      (request) => showRawOfProject(core, request),
    ),
    openProjectRoute(
      {
        ...byId,
        method: 'GET',
        path: `${ofProject}/:snippet_id/files/:ref/:file_path/raw`,
        body: content,
        params: showRawFileOfProjectParameters,
      },
      (request) => showRawFileOfProject(core, request),
    ),
    projectRoute(
      {
        ...byId,
        method: 'POST',
        path: ofProject,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: createOfProjectParameters,
      },
      'reporter',
      (request) => createOfProject(core, request),
    ),
    projectRoute(
      {
        ...byId,
        method: 'PUT',
        path: `${ofProject}/:snippet_id`,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: updateOfProjectParameters,
      },
      'visible',
      (request) => updateOfProject(core, request),
    ),
    projectRoute({ ...byId, method: 'DELETE', path: `${ofProject}/:snippet_id`, params: inProject }, 'visible', (request) =>
      removeOfProject(core, request),
    ),
    ...noteRoutes(core, {
      path: `${ofProject}/:snippet_id`,
      number: () => ({ snippet_id: required(integer) }),
      key: 'id',
      hasResolution: false,
      route: (row, handle) => projectRoute(row, 'visible', (request) => handle(request, commentableOf(core, request))),
    }),
  ];
}

/** Returns the snippet of a path as a commentable. */
function commentableOf(core: GitCore, request: ProjectRequest<unknown>): Commentable {
  const id = Number(request.context.pathParameters['snippet_id']);
  return commentableSnippet(core, request, demand(core, id, request.caller, request).snippet);
}

function listOwn(core: GitCore, request: RequestOf<typeof dated>) {
  return list(core, request, { authorId: request.caller.user.id });
}

function listPublic(core: GitCore, request: RequestOf<typeof dated>) {
  return list(core, request, { onlyPublic: true });
}

function listAll(core: GitCore, request: RequestOf<typeof dated>) {
  return list(core, request, {});
}

function show(core: GitCore, request: ApiRequest<ParametersOf<typeof numbered>>) {
  return one(core, demand(core, request.params.id, request.caller).snippet, request);
}

function showRaw(core: GitCore, request: ApiRequest<ParametersOf<typeof numbered>>) {
  const { snippet } = demand(core, request.params.id, request.caller);
  return raw(core, snippet, filesOf(snippet)[0] ?? '');
}

function showRawFile(core: GitCore, { params, caller }: ApiRequest<ParametersOf<typeof showRawFileParameters>>) {
  return rawAt(core, demand(core, params.id, caller).snippet, params.ref, params.file_path);
}

function createPersonal(core: GitCore, request: RequestOf<typeof createPersonalParameters>) {
  if (request.caller.user.external === 1) throw forbidden(undefined, 'external users cannot create snippets', 'snippet.create');
  return create(core, request.params, request);
}

function updatePersonal(core: GitCore, request: RequestOf<typeof updatePersonalParameters>) {
  return change(core, demandChange(core, request.params.id, request.caller), request.params, request);
}

function removePersonal(core: GitCore, { params, caller }: RequestOf<typeof numbered>) {
  return deleteSnippet(core, demandChange(core, params.id, caller));
}

function listOfProject(core: GitCore, request: ApiRequest<ParametersOf<typeof listOfProjectParameters>> & FoundProject) {
  return list(core, request, { projectId: request.project.id });
}

function showOfProject(core: GitCore, request: ApiRequest<ParametersOf<typeof inProject>> & FoundProject) {
  return one(core, demand(core, request.params.snippet_id, request.caller, request).snippet, request);
}

function showRawOfProject(core: GitCore, request: ApiRequest<ParametersOf<typeof inProject>> & FoundProject) {
  const { snippet } = demand(core, request.params.snippet_id, request.caller, request);
  return raw(core, snippet, filesOf(snippet)[0] ?? '');
}

function showRawFileOfProject(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof showRawFileOfProjectParameters>> & FoundProject,
) {
  const { params, caller } = request;
  return rawAt(core, demand(core, params.snippet_id, caller, request).snippet, params.ref, params.file_path);
}

function createOfProject(core: GitCore, request: ProjectRequest<ParametersOf<typeof createOfProjectParameters>>) {
  if (request.project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'ability.snippet');
  return create(core, request.params, request, request.project.id);
}

function updateOfProject(core: GitCore, request: ProjectRequest<ParametersOf<typeof updateOfProjectParameters>>) {
  return change(core, demandChange(core, request.params.snippet_id, request.caller, request), request.params, request);
}

function removeOfProject(core: GitCore, request: ProjectRequest<ParametersOf<typeof inProject>>) {
  return deleteSnippet(core, demandChange(core, request.params.snippet_id, request.caller, request));
}

function one(core: GitCore, snippet: Snippet, request: PresentContext): unknown {
  return presentSnippets(core, [snippet], request)[0];
}

function list(
  core: GitCore,
  request: ApiRequest<Partial<ParametersOf<typeof dated>> & OffsetRequest>,
  narrowed: Pick<SnippetFilter, 'authorId' | 'projectId' | 'onlyPublic'>,
): RawResponse {
  const { params, caller } = request;
  const access = accessOf(caller);
  const filter: SnippetFilter = {
    viewer: viewerId(caller),
    visible: visibleSnippetsSql(access, visibleProjectsSql(access)),
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    ...narrowed,
  };
  const pages = {
    count: (cap: number) => countSnippets(core.store, filter, cap),
    rows: (limit: number, offset: number) => presentSnippets(core, listSnippets(core.store, filter, limit, offset), request),
  };
  return new RawResponse(offsetResponse(request, params, pages, (item) => item));
}

/** Finds the snippet of a request, within the project if one is given. Throws `NotFound`. */
function demand(core: GitCore, id: number, caller: Caller | undefined, project?: FoundProject) {
  const found = findSnippet(core, id, caller);
  const isHere = project === undefined || found?.snippet.project_id === project.project.id;
  if (found === undefined || !isHere) throw notFound('Snippet');
  return found;
}

function demandChange(core: GitCore, id: number, caller: Caller, project?: FoundProject): Snippet {
  const { snippet, mayChange } = demand(core, id, caller, project);
  if (!mayChange)
    throw forbidden(undefined, 'only the author and maintainers of the project can change a snippet', 'ability.snippet');
  return snippet;
}

async function create(
  core: GitCore,
  params: ParametersOf<typeof newValues> & { readonly visibility: Visibility },
  request: PresentContext & { readonly caller: Caller },
  projectId?: number,
): Promise<unknown> {
  const sent = request.linkParameters();
  refuseTogether(sent, ['files', 'content']);
  refuseTogether(sent, ['files', 'file_name']);
  if (params.files === undefined && params.content === undefined) {
    throw invalidParameters(['files, content are missing, exactly one parameter must be provided']);
  }
  if (params.content !== undefined && params.file_name === undefined) throw invalidParameters(['file_name is missing']);
  const files = params.files ?? [{ path: params.file_name, content: params.content }];
  const made = await createSnippet(core, request.caller.user, {
    projectId,
    title: params.title,
    description: params.description,
    visibility: params.visibility,
    files: files.map((file) => ({ path: file.path ?? '', content: file.content ?? '' })),
  });
  return one(core, made, request);
}

async function change(
  core: GitCore,
  snippet: Snippet,
  params: ParametersOf<typeof changedValues>,
  request: PresentContext & { readonly caller: Caller },
): Promise<unknown> {
  const sent = request.linkParameters();
  refuseTogether(sent, ['files', 'content']);
  refuseTogether(sent, ['files', 'file_name']);
  demandOneOf(request, ['content', 'description', 'files', 'file_name', 'title', 'visibility']);
  const { title, description, visibility, content: text, file_name: fileName, files } = params;
  const input = { title, description, visibility, content: text, fileName, files };
  return one(core, await updateSnippet(core, snippet, request.caller.user, input), request);
}

async function raw(core: GitCore, snippet: Snippet, path: string): Promise<RawResponse> {
  const bytes = await readSnippetFile(core, snippet, path);
  if (bytes === undefined) throw notFound('File');
  return new RawResponse(rawResponse(bytes, path.slice(path.lastIndexOf('/') + 1)));
}

function rawAt(core: GitCore, snippet: Snippet, ref: string, path: string): Promise<RawResponse> {
  if (!isNewest(core, snippet.repository_id, ref)) throw notFound('Reference');
  return raw(core, snippet, path);
}
