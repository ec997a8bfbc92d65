import { compareReleases } from '../../../src/contract/releases.ts';
import { findGroup } from '../groups/groups.ts';
import {
  type Arguments,
  connection,
  globalId,
  type GraphqlPart,
  inputArgument,
  NOT_AUTHORIZED,
  QueryRefusal,
  type QueryRequest,
  textArgument,
  connectionArguments,
} from '../../graphql/parts.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectFields, ProjectsPart } from '../projects/projects.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { jobTokenScope } from '../jobTokenScope/jobTokenScope.ts';
import { allow, allowedGroups, allowedProjects, type Direction, type Target } from './allowlists.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  extend type Project {
    "CI/CD job token's scope of access. Null without the Maintainer role."
    ciJobTokenScope: CiJobTokenScopeType
  }

  type CiJobTokenScopeType {
    "Allowlist of groups that can access the current project by authenticating with a CI/CD job token."
    groupsAllowlist: CiJobTokenAccessibleGroupConnection! @since(release: "17.0")
    "Allowlist of projects that can access the current project by authenticating with a CI/CD job token."
    inboundAllowlist(${connectionArguments}): ProjectConnection! @since(release: "15.9")
    "Allow list of projects that are accessible using the current project's CI Job tokens."
    outboundAllowlist(${connectionArguments}): ProjectConnection! @since(release: "15.9")
    "Allow list of projects that can be accessed by CI Job tokens created by the project."
    projects(${connectionArguments}): ProjectConnection!
  }

  type CiJobTokenAccessibleGroup {
    "Full path of the group."
    fullPath: ID!
    "ID of the group."
    id: ID!
    "Name of the group."
    name: String!
    "Path of the group."
    path: String!
    "Web URL of the group."
    webUrl: String
  }

  "The connection type for CiJobTokenAccessibleGroup."
  type CiJobTokenAccessibleGroupConnection {
    edges: [CiJobTokenAccessibleGroupEdge]
    nodes: [CiJobTokenAccessibleGroup]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type CiJobTokenAccessibleGroupEdge {
    cursor: String!
    node: CiJobTokenAccessibleGroup
  }

  "Direction of access."
  enum CiJobTokenScopeDirection {
    "Target project can access current project in the inbound allowlist."
    INBOUND
    "Job token scope project can access target project in the outbound allowlist."
    OUTBOUND
  }

  extend type Mutation {
    ciJobTokenScopeAddGroupOrProject(input: CiJobTokenScopeAddGroupOrProjectInput!): CiJobTokenScopeAddGroupOrProjectPayload
      @since(release: "17.5")
    ciJobTokenScopeAddProject(input: CiJobTokenScopeAddProjectInput!): CiJobTokenScopeAddProjectPayload
      @deprecation(id: "job-token-scope-add-project")
  }

  input CiJobTokenScopeAddGroupOrProjectInput {
    clientMutationId: String
    "Project that the CI job token scope belongs to."
    projectPath: ID!
    "Group or project to be added to the CI job token scope."
    targetPath: ID!
  }

  type CiJobTokenScopeAddGroupOrProjectPayload {
    "CI job token's access scope."
    ciJobTokenScope: CiJobTokenScopeType
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
  }

  input CiJobTokenScopeAddProjectInput {
    clientMutationId: String
    "Direction of access, which defaults to outbound before release 16.0 and to inbound from then on."
    direction: CiJobTokenScopeDirection @since(release: "15.9")
    "Project that the CI job token scope belongs to."
    projectPath: ID!
    "Project to be added to the CI job token scope."
    targetProjectPath: ID!
  }

  type CiJobTokenScopeAddProjectPayload {
    "CI job token's access scope."
    ciJobTokenScope: CiJobTokenScopeType
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
  }
`;

const TARGET_NOT_FOUND =
  "The target_project that you are attempting to access does not exist or you don't have permission to perform this action";
const OUTBOUND_ENDED = 'direction: OUTBOUND scope entries can only be removed. Only INBOUND scope can be expanded.';

/** Returns the fields that job tokens add to projects. */
export function jobTokenFieldsOf(core: Core, projects: () => ProjectsPart): ProjectFields {
  return (found) => ({
    ciJobTokenScope: () => (holdsRole(found.access, 'maintainer') ? scopeFields(core, found, projects()) : null),
  });
}

function scopeFields(core: Core, found: FoundProject, projects: ProjectsPart): Fields {
  const listed = (direction: Direction) => (args: Arguments, request: QueryRequest) => {
    const ids = allowedProjects(core, found.project, direction, request.caller).map(({ project }) => project.id);
    return projects.pageOf(args, request, { filter: { ids }, order: 'id', sort: 'asc' });
  };
  return {
    groupsAllowlist: (_: Arguments, { caller, baseUrl }: QueryRequest) => {
      const nodes = allowedGroups(core, found.project.id, caller).map(({ group }) => ({
        fullPath: group.full_path,
        id: globalId('Group', group.id),
        name: group.name,
        path: group.path,
        webUrl: `${baseUrl}/groups/${group.full_path}`,
      }));
      const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
      return connection(nodes, ({ id }) => id, pageInfo);
    },
    inboundAllowlist: listed('inbound'),
    outboundAllowlist: listed('outbound'),
    projects: listed('outbound'),
  };
}

/** Creates the GraphQL part of the settings that decide which projects job tokens reach. */
export function jobTokensGraphql(core: Core, projects: ProjectsPart): GraphqlPart {
  const mustFind = (path: unknown, { caller }: QueryRequest): FoundProject => {
    const found = findByPath(core, path, caller);
    if (found === undefined || !holdsRole(found.access, 'maintainer')) throw new QueryRefusal(NOT_AUTHORIZED);
    return found;
  };
  const add = (found: FoundProject, direction: Direction, target: Target | undefined): Fields => {
    const refusal = target === undefined ? TARGET_NOT_FOUND : allow(core, found.project.id, direction, target);
    if (refusal !== undefined) return { ciJobTokenScope: null, errors: [refusal] };
    return { ciJobTokenScope: scopeFields(core, found, projects), errors: [] };
  };

  return {
    sdl,
    query: {},
    mutation: {
      ciJobTokenScopeAddProject: ({ input }, request) => {
        const { clientMutationId, projectPath, targetProjectPath, direction } = inputArgument(input);
        const found = mustFind(projectPath, request);
        const onlyInbound = compareReleases(core.profile.release, '16.0') >= 0;
        if (onlyInbound && direction === 'OUTBOUND') throw new QueryRefusal(OUTBOUND_ENDED);
        const isInbound = direction === 'INBOUND' || onlyInbound;
        const target = findByPath(core, targetProjectPath, request.caller);
        if (!isInbound && !jobTokenScope(core, found.project.id).outbound) {
          return { clientMutationId, ciJobTokenScope: null, errors: ['Job token scope is disabled for this project'] };
        }
        const named = target === undefined ? undefined : { projectId: target.project.id };
        return { clientMutationId, ...add(found, isInbound ? 'inbound' : 'outbound', named) };
      },
      ciJobTokenScopeAddGroupOrProject: ({ input }, request) => {
        const { clientMutationId, projectPath, targetPath } = inputArgument(input);
        const found = mustFind(projectPath, request);
        const group = findGroup(core, textArgument(targetPath) ?? '', request.caller);
        const project = group === undefined ? findByPath(core, targetPath, request.caller) : undefined;
        const target = group === undefined ? project && { projectId: project.project.id } : { groupId: group.group.id };
        return { clientMutationId, ...add(found, 'inbound', target) };
      },
    },
  };
}

/** Finds a project by its full path. An ID is not a path. */
function findByPath(core: Core, path: unknown, caller: QueryRequest['caller']): FoundProject | undefined {
  const text = textArgument(path) ?? '';
  return text.includes('/') ? findProject(core, text, caller) : undefined;
}
