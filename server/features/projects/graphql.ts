import {
  flagArgument,
  globalId,
  type GraphqlPart,
  numberOfGlobalId,
  QueryRefusal,
  textArgument,
  textsArgument,
  timeOf,
} from '../../graphql/parts.ts';
import type { Arguments, QueryRequest } from '../../graphql/parts.ts';
import { idPage } from '../../graphql/idPages.ts';
import { pageOfList } from '../../graphql/positionPages.ts';
import type { Core } from '../../core/core.ts';
import { lazy } from '../../support/lazy.ts';
import { visibleProjectsSql } from '../abilities/abilities.ts';
import {
  accessOf,
  countProjects,
  findProject,
  findProjects,
  type FoundProject,
  listProjects,
  presentProjectIdentity,
  type Project,
  projectAddresses,
  type ProjectFilter,
  type ProjectOrder,
  seenBy,
  type ShownProject,
  shownProject,
  viewerId,
} from '../projectAccess/projectAccess.ts';
import { topicsOf } from './present.ts';
import { openIssueCount } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that another feature adds to projects; its SDL extends `Project` with them. */
export type ProjectFields = (found: FoundProject) => Fields;

/** Filter and order of a list of projects. */
export interface ProjectListing {
  readonly filter: Partial<ProjectFilter>;
  readonly order: ProjectOrder;
  readonly sort: 'asc' | 'desc';
}

/** Returns the fields of a project that the caller sees. */
export type ProjectPresenter = (found: FoundProject, request: QueryRequest) => Fields;

export interface ProjectsPart extends GraphqlPart {
  readonly present: ProjectPresenter;
  /** Returns a page of the visible projects of a list as a connection. The arguments are `first`, `last`, `after` and `before`. */
  readonly pageOf: (args: Arguments, request: QueryRequest, listing: ProjectListing) => Fields;
}

const sdl = /* GraphQL */ `
  "A \`ProjectID\` is a global ID, such as \`gid://gitlab/Project/1\`."
  scalar ProjectID

  type Project {
    "Indicates the archived status of the project."
    archived: Boolean
    "URL to avatar image file of the project."
    avatarUrl: String
    "Timestamp of the project creation."
    createdAt: Time
    "Short description of the project."
    description: String
    "Number of times the project has been forked."
    forksCount: Int!
    "Full path of the project."
    fullPath: ID!
    "URL to connect to the project via HTTPS."
    httpUrlToRepo: String
    "ID of the project."
    id: ID!
    "Indicates if Issues are enabled for the current user."
    issuesEnabled: Boolean
    "Timestamp of the project last activity."
    lastActivityAt: Time
    "Name of the project without the namespace."
    name: String!
    "Name of the project including the namespace."
    nameWithNamespace: String!
    "Number of open issues for the project."
    openIssuesCount: Int
    "Path of the project."
    path: String!
    "URL to connect to the project via SSH."
    sshUrlToRepo: String
    "Number of times the project has been starred."
    starCount: Int!
    "List of the project topics."
    topics: [String!]
    "Timestamp of when the project was last updated."
    updatedAt: Time
    "Visibility of the project."
    visibility: String
    "Web path of the project."
    webPath: String!
    "Web URL of the project."
    webUrl: String
  }

  "The connection type for Project."
  type ProjectConnection {
    edges: [ProjectEdge]
    nodes: [Project]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type ProjectEdge {
    cursor: String!
    node: Project
  }

  extend type Query {
    "Find a project."
    project("Full path of the project. For example, \`group/project\`." fullPath: ID!): Project
    "Find projects visible to the current user, the newest first."
    projects(
      "Return the elements in the list that come after the specified cursor."
      after: String
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list."
      first: Int
      "Filter projects by IDs."
      ids: [ID!]
      "Returns the last _n_ elements from the list."
      last: Int
      "Return only projects that the current user is a member of."
      membership: Boolean
      "Search query, which can be for the project name or a path."
      search: String
      "Include namespace in project search."
      searchNamespaces: Boolean
      "Filter projects by topics."
      topics: [String!]
      "Return only projects with issues enabled."
      withIssuesEnabled: Boolean
    ): ProjectConnection
  }
`;

const MAX_IDS = 100;

export function projectsGraphql(core: Core, more: readonly ProjectFields[]): ProjectsPart {
  const present: ProjectPresenter = (found, request) => ({
    ...projectFields(core, found, request),
    ...Object.fromEntries(more.flatMap((fields) => Object.entries(fields(found)))),
  });

  const page = (args: Arguments, request: QueryRequest): Promise<Fields> => {
    const { caller } = request;
    const ids = textsArgument(args['ids'])?.map((id) => numberOfGlobalId('Project', id));
    if (ids !== undefined && ids.length > MAX_IDS) throw new QueryRefusal(`Too many ids: at most ${MAX_IDS} are looked up`);
    const filter: ProjectFilter = {
      viewer: viewerId(caller),
      visible: visibleProjectsSql(accessOf(caller)),
      topics: textsArgument(args['topics']),
      search: textArgument(args['search']),
      searchNamespaces: flagArgument(args['searchNamespaces']),
      minLevel: flagArgument(args['membership']) ? 10 : undefined,
      withIssues: flagArgument(args['withIssuesEnabled']),
    };
    return idPage(
      args,
      ({ idBefore, idAfter, sort, limit }) => listRows(core, { ...filter, idBefore, idAfter }, ids, { sort, limit }, request),
      (rows) =>
        rows.map((row) => {
          const found = seenBy(row, caller);
          return found === undefined ? undefined : present(found, request);
        }),
    );
  };

  const pageOf = (args: Arguments, request: QueryRequest, { filter: listed, order, sort }: ProjectListing): Fields => {
    const { caller } = request;
    const filter: ProjectFilter = { ...listed, viewer: viewerId(caller), visible: visibleProjectsSql(accessOf(caller)) };
    const list = {
      count: (cap: number) => countProjects(core.store, filter, cap),
      rows: (limit: number, offset: number) => listProjects(core.store, filter, { order, sort, limit, offset }),
    };
    return pageOfList(args, list, (row) => {
      const found = seenBy(row, caller);
      return found === undefined ? null : present(found, request);
    });
  };

  return {
    sdl,
    pageOf,
    present,
    query: {
      project: ({ fullPath }, request) => {
        const path = textArgument(fullPath) ?? '';
        // A path consists of at least two segments; an id is not a path.
        const found = path.includes('/') ? findProject(core, path, request.caller) : undefined;
        return found === undefined ? null : present(found, request);
      },
      projects: page,
    },
  };
}

function listRows(
  core: Core,
  filter: ProjectFilter,
  ids: readonly number[] | undefined,
  page: { readonly sort: 'asc' | 'desc'; readonly limit: number },
  { caller }: QueryRequest,
): Project[] {
  if (ids === undefined) return listProjects(core.store, filter, { order: 'id', ...page, offset: 0 });
  const sign = page.sort === 'asc' ? 1 : -1;
  // The number of ids is limited, so they are looked up one by one under the same conditions.
  return [...findProjects(core, ids, caller).keys()]
    .toSorted((a, b) => sign * (a - b))
    .flatMap((id) =>
      listProjects(
        core.store,
        { ...filter, idAfter: Math.max(id - 1, filter.idAfter ?? 0), idBefore: Math.min(id + 1, filter.idBefore ?? id + 1) },
        { order: 'id', sort: 'asc', limit: 1, offset: 0 },
      ),
    )
    .slice(0, page.limit);
}

function isShown(project: Project | ShownProject): project is ShownProject {
  return 'topics' in project;
}

function projectFields(core: Core, { project, can }: FoundProject, { baseUrl }: QueryRequest): Fields {
  const addresses = projectAddresses(project, baseUrl);
  const identity = presentProjectIdentity(project);
  const shown = lazy(() => (isShown(project) ? project : shownProject(core, project)));
  const countOpen = (): number => openIssueCount(core.store, project.id, can.readConfidential);
  return {
    archived: project.archived === 1,
    avatarUrl: null,
    createdAt: timeOf(project.created_at),
    description: project.description,
    forksCount: () => shown().forks_count,
    fullPath: project.full_path,
    httpUrlToRepo: addresses.http_url_to_repo,
    id: globalId('Project', project.id),
    issuesEnabled: can.readIssues,
    lastActivityAt: timeOf(project.last_activity_at),
    name: project.name,
    nameWithNamespace: identity.name_with_namespace,
    openIssuesCount: () => (can.readIssues ? countOpen() : null),
    path: project.path,
    sshUrlToRepo: addresses.ssh_url_to_repo,
    starCount: project.star_count,
    topics: () => topicsOf(shown()),
    updatedAt: timeOf(project.updated_at),
    visibility: project.visibility,
    webPath: `/${project.full_path}`,
    webUrl: addresses.web_url,
  };
}
