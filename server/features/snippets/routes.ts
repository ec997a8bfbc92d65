import type { GitCore } from '../../repositories/repositories.ts';
import { isNewest } from '../git/git.ts';
import { rawResponse } from '../../http/fileContent.ts';
import { content, listOf } from '../../http/responses.ts';
import { demandOneOf, refuseTogether } from '../../http/combinations.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { invalidParameters } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, filled, integer, oneOf, required, string, time, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, openRoute, RawResponse, type Route, userRoute } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { noteRoutes } from '../notes/notes.ts';
import {
  type FoundProject,
  openProjectRoute,
  projectRoute,
  accessOf,
  viewerId,
  visibilities,
  type Visibility,
  visibleProjectsSql,
} from '../projects/projects.ts';
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

type PresentContext = Pick<ApiRequest<unknown>, 'baseUrl' | 'caller' | 'linkParameters'>;

export function snippetRoutes(core: GitCore): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Snippets', status: 'inferred' } as const;
  const byId = { ...metadata, key: 'id' } as const;

  const one = (snippet: Snippet, request: PresentContext): unknown => presentSnippets(core, [snippet], request)[0];

  const list = (
    request: ApiRequest<{
      readonly created_after?: number | undefined;
      readonly created_before?: number | undefined;
      readonly page: number;
      readonly per_page: number;
    }>,
    narrowed: Pick<SnippetFilter, 'authorId' | 'projectId' | 'onlyPublic'>,
  ): RawResponse => {
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
      count: (cap: number) => countSnippets(store, filter, cap),
      rows: (limit: number, offset: number) => presentSnippets(core, listSnippets(store, filter, limit, offset), request),
    };
    return new RawResponse(offsetResponse(request, params, pages, (item) => item));
  };

  /** Finds the snippet of a request, within the project if one is given. Throws 404. */
  const demand = (id: number, caller: Caller | undefined, project?: FoundProject) => {
    const found = findSnippet(core, id, caller);
    const isHere = project === undefined || found?.snippet.project_id === project.project.id;
    if (found === undefined || !isHere) throw notFound('Snippet');
    return found;
  };
  const demandChange = (id: number, caller: Caller, project?: FoundProject): Snippet => {
    const { snippet, mayChange } = demand(id, caller, project);
    if (!mayChange)
      throw forbidden(undefined, 'only the author and maintainers of the project can change a snippet', 'ability.snippet');
    return snippet;
  };

  const create = async (
    params: ParametersOf<typeof newValues> & { readonly visibility: Visibility },
    request: PresentContext & { readonly caller: Caller },
    projectId?: number,
  ): Promise<unknown> => {
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
    return one(made, request);
  };
  const change = async (
    snippet: Snippet,
    params: ParametersOf<typeof changedValues>,
    request: PresentContext & { readonly caller: Caller },
  ): Promise<unknown> => {
    const sent = request.linkParameters();
    refuseTogether(sent, ['files', 'content']);
    refuseTogether(sent, ['files', 'file_name']);
    demandOneOf(sent, ['content', 'description', 'files', 'file_name', 'title', 'visibility']);
    const { title, description, visibility, content: text, file_name: fileName, files } = params;
    const input = { title, description, visibility, content: text, fileName, files };
    return one(await updateSnippet(core, snippet, request.caller.user, input), request);
  };
  const raw = async (snippet: Snippet, path: string): Promise<RawResponse> => {
    const bytes = await readSnippetFile(core, snippet, path);
    if (bytes === undefined) throw notFound('File');
    return new RawResponse(rawResponse(bytes, path.slice(path.lastIndexOf('/') + 1)));
  };
  const rawAt = (snippet: Snippet, ref: string, path: string): Promise<RawResponse> => {
    if (!isNewest(core, snippet.repository_id, ref)) throw notFound('Reference');
    return raw(snippet, path);
  };

  const dated = () => ({ created_after: time(), created_before: time(), ...pageParameters() });
  const personal = '/api/v4/snippets';
  const ofProject = '/api/v4/projects/:id/snippets';
  const numbered = () => ({ id: required(integer) });
  const inProject = () => ({ id: required(string), snippet_id: required(integer) });
  const file = { ref: required(string), file_path: required(string) };

  return [
    userRoute({ ...metadata, method: 'GET', path: personal, body: listOf(snippetResponse), params: dated }, (request) =>
      list(request, { authorId: request.caller.user.id }),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: `${personal}/public`, body: listOf(snippetResponse), params: dated },
      (request) => list(request, { onlyPublic: true }),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: `${personal}/all`, body: listOf(snippetResponse), addedIn: '16.3', params: dated },
      (request) => list(request, {}),
    ),
    openRoute({ ...byId, method: 'GET', path: `${personal}/:id`, body: snippetResponse, params: numbered }, (request) =>
      one(demand(request.params.id, request.caller).snippet, request),
    ),
    openRoute({ ...byId, method: 'GET', path: `${personal}/:id/raw`, body: content, params: numbered }, (request) => {
      const { snippet } = demand(request.params.id, request.caller);
      return raw(snippet, filesOf(snippet)[0] ?? '');
    }),
    openRoute(
      {
        ...byId,
        method: 'GET',
        path: `${personal}/:id/files/:ref/:file_path/raw`,
        body: content,
        params: () => ({ ...numbered(), ...file }),
      },
      ({ params, caller }) => rawAt(demand(params.id, caller).snippet, params.ref, params.file_path),
    ),
    userRoute(
      {
        ...metadata,
        method: 'POST',
        path: personal,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: () => ({ ...newValues(), visibility: fallback<Visibility>('internal', visibility) }),
      },
      (request) => {
        if (request.caller.user.external === 1)
          throw forbidden(undefined, 'external users cannot create snippets', 'snippet.create');
        return create(request.params, request);
      },
    ),
    userRoute(
      {
        ...byId,
        method: 'PUT',
        path: `${personal}/:id`,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: () => ({ ...numbered(), ...changedValues() }),
      },
      (request) => change(demandChange(request.params.id, request.caller), request.params, request),
    ),
    userRoute({ ...byId, method: 'DELETE', path: `${personal}/:id`, params: numbered }, ({ params, caller }) =>
      deleteSnippet(core, demandChange(params.id, caller)),
    ),
    openProjectRoute(
      {
        ...byId,
        method: 'GET',
        path: ofProject,
        body: listOf(snippetResponse),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      (request) => list(request, { projectId: request.project.id }),
    ),
    openProjectRoute(
      { ...byId, method: 'GET', path: `${ofProject}/:snippet_id`, body: snippetResponse, params: inProject },
      (request) => one(demand(request.params.snippet_id, request.caller, request).snippet, request),
    ),
    openProjectRoute(
      { ...byId, method: 'GET', path: `${ofProject}/:snippet_id/raw`, body: content, params: inProject },
      (request) => {
        const { snippet } = demand(request.params.snippet_id, request.caller, request);
        return raw(snippet, filesOf(snippet)[0] ?? '');
      },
    ),
    openProjectRoute(
      {
        ...byId,
        method: 'GET',
        path: `${ofProject}/:snippet_id/files/:ref/:file_path/raw`,
        body: content,
        params: () => ({ ...inProject(), ...file }),
      },
      (request) => {
        const { params, caller } = request;
        return rawAt(demand(params.snippet_id, caller, request).snippet, params.ref, params.file_path);
      },
    ),
    projectRoute(
      {
        ...byId,
        method: 'POST',
        path: ofProject,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: () => ({ id: required(string), ...newValues(), visibility: required(visibility) }),
      },
      'reporter',
      (request) => {
        if (request.project.archived === 1)
          throw forbidden(undefined, 'the project is archived and read-only', 'ability.snippet');
        return create(request.params, request, request.project.id);
      },
    ),
    projectRoute(
      {
        ...byId,
        method: 'PUT',
        path: `${ofProject}/:snippet_id`,
        body: snippetResponse,
        maxBody: MAX_SNIPPET_BYTES,
        params: () => ({ ...inProject(), ...changedValues() }),
      },
      'visible',
      (request) => change(demandChange(request.params.snippet_id, request.caller, request), request.params, request),
    ),
    projectRoute({ ...byId, method: 'DELETE', path: `${ofProject}/:snippet_id`, params: inProject }, 'visible', (request) =>
      deleteSnippet(core, demandChange(request.params.snippet_id, request.caller, request)),
    ),
    ...noteRoutes(core, {
      path: `${ofProject}/:snippet_id`,
      number: () => ({ snippet_id: required(integer) }),
      key: 'id',
      hasResolution: false,
      route: (row, handle) =>
        projectRoute(row, 'visible', (request) => {
          const number = Number(request.context.pathParameters['snippet_id']);
          return handle(request, commentableSnippet(core, request, demand(number, request.caller, request).snippet));
        }),
    }),
  ];
}
