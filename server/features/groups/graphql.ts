import type { GitCore } from '../../repositories/repositories.ts';
import { measureRepositories } from '../git/git.ts';
import {
  type Arguments,
  flagArgument,
  globalId,
  type GraphqlPart,
  type QueryRequest,
  textArgument,
} from '../../graphql/parts.ts';
import type { ProjectListing, ProjectsPart } from '../projects/projects.ts';
import { findGroup, findNamespace, type FoundGroup, isNamespaceSeen } from './access.ts';
import type { NamespaceRow } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that another feature adds to groups; its SDL extends `Group` with them. */
export type GroupFields = (found: FoundGroup) => Fields;

/** Fields that another feature adds to groups and personal namespaces; its SDL extends `Group` and `Namespace` with them. */
export type NamespaceFields = (namespace: NamespaceRow) => Fields;

export interface GroupsPart extends GraphqlPart {
  /** Returns the fields of a group or personal namespace as a `Namespace`. */
  readonly presentNamespace: (namespace: NamespaceRow) => Fields;
}

const commonFields = /* GraphQL */ `
    "Description of the namespace."
    description: String
    "Full name of the namespace."
    fullName: String!
    "Full path of the namespace."
    fullPath: ID!
    "ID of the namespace."
    id: ID!
    "Name of the namespace."
    name: String!
    "Path of the namespace."
    path: String!
    "Projects within this namespace."
    projects(
      "Return the elements in the list that come after the specified cursor."
      after: String
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list."
      first: Int
      "Include also subgroup projects."
      includeSubgroups: Boolean = false
      "Returns the last _n_ elements from the list."
      last: Int
      "Search project with most similar names or paths."
      search: String
      "Sort projects by this criteria."
      sort: NamespaceProjectSort
      "Return only projects with issues enabled."
      withIssuesEnabled: Boolean
    ): ProjectConnection!
    "Visibility of the namespace."
    visibility: String
`;

const sdl = /* GraphQL */ `
  type Group {${commonFields}
    "Parent group."
    parent: Group
    "Web URL of the group."
    webUrl: String!
  }

  type Namespace {${commonFields}
  }

  "Values for sorting projects."
  enum NamespaceProjectSort {
    "Sort by latest activity, descending order."
    ACTIVITY_DESC
    "Sort by excess repository storage size, descending order."
    EXCESS_REPO_STORAGE_SIZE_DESC
    "Sort by total repository size, ascending order."
    REPOSITORY_SIZE_ASC
    "Sort by total repository size, descending order."
    REPOSITORY_SIZE_DESC
    "Most similar to the search query."
    SIMILARITY
    "Sort by excess repository storage size, descending order."
    STORAGE @deprecation(id: "storage-sort")
  }

  extend type Query {
    "Find a group."
    group("Full path of the group. For example, \`gitlab-org/gitlab-foss\`." fullPath: ID!): Group
    "Find a namespace."
    namespace("Full path of the namespace. For example, \`gitlab-org/gitlab-foss\`." fullPath: ID!): Namespace
  }
`;

const sorts: Readonly<Record<string, Pick<ProjectListing, 'order' | 'sort'>>> = {
  ACTIVITY_DESC: { order: 'last_activity_at', sort: 'desc' },
  // The size of repositories is not limited, so all of it is excess.
  EXCESS_REPO_STORAGE_SIZE_DESC: { order: 'repository_size', sort: 'desc' },
  REPOSITORY_SIZE_ASC: { order: 'repository_size', sort: 'asc' },
  REPOSITORY_SIZE_DESC: { order: 'repository_size', sort: 'desc' },
  STORAGE: { order: 'repository_size', sort: 'desc' },
  SIMILARITY: { order: 'similarity', sort: 'desc' },
};

/** Creates the GraphQL part of groups and namespaces. */
export function groupsGraphql(
  core: GitCore,
  projects: ProjectsPart,
  more: { readonly group?: readonly GroupFields[]; readonly namespace?: readonly NamespaceFields[] } = {},
): GroupsPart {
  const namespaceFields = (row: NamespaceRow): Fields => ({
    description: row.description,
    fullName: row.full_name,
    fullPath: row.full_path,
    id: globalId(row.kind === 'group' ? 'Group' : 'Namespaces::UserNamespace', row.id),
    name: row.name,
    path: row.path,
    projects: async (args: Arguments, request: QueryRequest) => {
      const listing = {
        groupId: row.id,
        withSubgroups: flagArgument(args['includeSubgroups']),
        withIssues: flagArgument(args['withIssuesEnabled']),
        search: textArgument(args['search']),
      };
      const order = sorts[textArgument(args['sort']) ?? ''] ?? { order: 'id', sort: 'desc' };
      if (order.order === 'repository_size') await measureRepositories(core, row.id);
      return projects.pageOf(args, request, { filter: listing, ...order });
    },
    visibility: row.visibility,
    ...added(more.namespace, row),
  });

  const groupFields = (found: FoundGroup): Fields => ({
    ...namespaceFields(found.group),
    parent: (_: Arguments, { caller }: QueryRequest) => {
      const parent = found.group.parent_id === null ? undefined : findGroup(core, found.group.parent_id, caller);
      return parent === undefined ? null : groupFields(parent);
    },
    webUrl: (_: Arguments, { baseUrl }: QueryRequest) => `${baseUrl}/groups/${found.group.full_path}`,
    ...added(more.group, found),
  });

  return {
    sdl,
    presentNamespace: namespaceFields,
    query: {
      group: ({ fullPath }, { caller }) => {
        const path = pathOf(fullPath);
        const found = path === undefined ? undefined : findGroup(core, path, caller);
        return found === undefined ? null : groupFields(found);
      },
      namespace: ({ fullPath }, { caller }) => {
        const path = pathOf(fullPath);
        const found = path === undefined ? undefined : findNamespace(core, path, caller);
        return found !== undefined && isNamespaceSeen(found, caller) ? namespaceFields(found) : null;
      },
    },
  };
}

function added<Subject>(more: readonly ((subject: Subject) => Fields)[] | undefined, subject: Subject): Fields {
  return Object.fromEntries((more ?? []).flatMap((fields) => Object.entries(fields(subject))));
}

/** Returns the full path in an argument; undefined for a number, which REST would read as an ID. */
function pathOf(fullPath: unknown): string | undefined {
  const path = textArgument(fullPath) ?? '';
  return path === '' || /^-?\d+$/.test(path) ? undefined : path;
}
