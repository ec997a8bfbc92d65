import type { GitCore } from '../../repositories/repositories.ts';
import {
  type Arguments,
  type GraphqlPart,
  inputArgument,
  numberOfGlobalId,
  QueryRefusal,
  type QueryRequest,
  textArgument,
  timeOf,
  connectionArguments,
} from '../../graphql/parts.ts';
import { listOfRows, pageOfList } from '../../graphql/positionPages.ts';
import { type GroupsPart, findGroup, findNamespace, type NamespaceFields } from '../groups/groups.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectFields, ProjectsPart } from '../projects/projects.ts';
import { type Access, holdsRole } from '../abilities/abilities.ts';
import { accessOf, findProject } from '../projectAccess/projectAccess.ts';
import {
  assignPolicyProject,
  exceedsLimits,
  hasPolicies,
  policyConfiguration,
  policyConfigurations,
  PolicyFileRefused,
  type PolicyRelation,
  readPolicies,
  unassignPolicyProject,
} from './projectPolicies.ts';
import type { Defined, Policy } from './rules.ts';
import { type ConfigurationRow, type PolicyContainer } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum number of lists of policies in one request, each of which reads files with git. */
const MAX_LISTS = 20;
const NOT_AVAILABLE =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

const listArguments = /* GraphQL */ `(
      ${connectionArguments}
      "Filter policies by the given policy relationship."
      relationship: SecurityPolicyRelationType = DIRECT
    )`;

const policyFields = /* GraphQL */ `
    "Description of the policy."
    description: String!
    "URL of policy edit page."
    editPath: String!
    "Indicates whether this policy is enabled."
    enabled: Boolean!
    "Name of the policy."
    name: String!
    "Source of the policy. Its fields depend on the source type."
    source: SecurityPolicySource!
    "Timestamp of when the policy YAML was last updated."
    updatedAt: Time!
    "YAML definition of the policy."
    yaml: String!
`;

const policyType = (name: string, description: string): string => /* GraphQL */ `
  "${description}"
  type ${name} {${policyFields}  }

  "The connection type for ${name}."
  type ${name}Connection {
    edges: [${name}Edge]
    nodes: [${name}]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type ${name}Edge {
    cursor: String!
    node: ${name}
  }
`;

const containerType = (name: string): string => /* GraphQL */ `
  extend type ${name} {
    "Approval policies."
    approvalPolicies${listArguments}: ApprovalPolicyConnection @since(release: "16.9")
    "Scan execution policies."
    scanExecutionPolicies${listArguments}: ScanExecutionPolicyConnection
    "Scan result policies."
    scanResultPolicies${listArguments}: ScanResultPolicyConnection @deprecation(id: "scan-result-policies")
    "Security policy project that is assigned to it, absent if assigned to a parent group."
    securityPolicyProject: Project
  }
`;

const sdl = /* GraphQL */ `
${policyType('ApprovalPolicy', 'Represents the approval policy')}
${policyType('ScanExecutionPolicy', 'Represents the scan execution policy')}
${policyType('ScanResultPolicy', 'Represents the scan result policy')}
${['Group', 'Namespace', 'Project'].map(containerType).join('\n')}

  "Represents the source of a security policy belonging to a group."
  type GroupSecurityPolicySource {
    "Indicates whether this policy is inherited from parent group."
    inherited: Boolean!
    "Project the policy is associated with."
    namespace: Namespace
  }

  "Represents the source of a security policy belonging to a project."
  type ProjectSecurityPolicySource {
    "Project the policy is associated with."
    project: Project
  }

  "Represents a policy source. Its fields depend on the source type."
  union SecurityPolicySource = GroupSecurityPolicySource | ProjectSecurityPolicySource

  enum SecurityPolicyRelationType {
    "Policies defined for the project/group only."
    DIRECT
    "Policies defined for the project/group and ancestor groups."
    INHERITED
    "Policies defined for the project/group's ancestor groups only."
    INHERITED_ONLY
  }

  input SecurityPolicyProjectAssignInput {
    clientMutationId: String
    "Full path of the project or group."
    fullPath: String
    "ID of the security policy project."
    securityPolicyProjectId: ProjectID!
  }

  type SecurityPolicyProjectAssignPayload {
    clientMutationId: String
    errors: [String!]!
  }

  input SecurityPolicyProjectUnassignInput {
    clientMutationId: String
    "Full path of the project or group."
    fullPath: String
  }

  type SecurityPolicyProjectUnassignPayload {
    clientMutationId: String
    errors: [String!]!
  }

  extend type Mutation {
    "Assigns a security policy project to a project or group."
    securityPolicyProjectAssign(input: SecurityPolicyProjectAssignInput!): SecurityPolicyProjectAssignPayload
    "Unassigns the security policy project of a project or group."
    securityPolicyProjectUnassign(input: SecurityPolicyProjectUnassignInput!): SecurityPolicyProjectUnassignPayload
  }
`;

/** Kinds of policies: the member of the file, and the type in the address of a policy. */
const kinds = {
  scanExecutionPolicies: { member: 'scanExecution', type: 'scan_execution_policy' },
  scanResultPolicies: { member: 'approval', type: 'scan_result_policy' },
  approvalPolicies: { member: 'approval', type: 'approval_policy' },
} as const;

/** Parts of the schema that present projects and namespaces. */
export interface Presenters {
  readonly projects: ProjectsPart;
  readonly groups: GroupsPart;
}

/** Creates the mutations of security policies. */
export function securityPoliciesGraphql(core: Core): GraphqlPart {
  /** Returns the container of a path that the caller owns. */
  const mustOwn = (fullPath: unknown, { caller }: QueryRequest): PolicyContainer => {
    const path = textArgument(fullPath);
    if (path === undefined) throw new QueryRefusal('At least one of the arguments fullPath or projectPath is required');
    const isPath = !/^-?\d+$/.test(path);
    const project = path.includes('/') ? findProject(core, path, caller) : undefined;
    const group = isPath ? findGroup(core, path, caller) : undefined;
    const access = project?.access ?? group?.access;
    if (!hasPolicies(core) || access === undefined || !holdsRole(access, 'owner')) throw new QueryRefusal(NOT_AVAILABLE);
    return project === undefined ? { groupId: group?.group.id ?? 0 } : { projectId: project.project.id };
  };

  return {
    sdl,
    query: {},
    mutation: {
      securityPolicyProjectAssign: ({ input }, request) => {
        const { clientMutationId, fullPath, securityPolicyProjectId } = inputArgument(input);
        const container = mustOwn(fullPath, request);
        const policies = findProject(core, numberOfGlobalId('Project', securityPolicyProjectId), request.caller);
        if (policies === undefined || !holdsRole(policies.access, 'developer')) throw new QueryRefusal(NOT_AVAILABLE);
        assignPolicyProject(core, container, policies.project.id);
        return { clientMutationId, errors: [] };
      },
      securityPolicyProjectUnassign: ({ input }, request) => {
        const { clientMutationId, fullPath } = inputArgument(input);
        const isDone = unassignPolicyProject(core, mustOwn(fullPath, request));
        return { clientMutationId, errors: isDone ? [] : ["Policy project doesn't exist"] };
      },
    },
  };
}

/** Returns the policies of projects. */
export function policiesOfProject(core: GitCore, presenters: () => Presenters): ProjectFields {
  return ({ project, access }) => policyFieldsOf(core, presenters, { projectId: project.id }, () => access);
}

/** Returns the policies of groups. Personal namespaces have none. */
export function policiesOfNamespace(core: GitCore, presenters: () => Presenters): NamespaceFields {
  return (namespace) =>
    namespace.kind === 'group'
      ? policyFieldsOf(core, presenters, { groupId: namespace.id }, ({ caller }) => ({
          ...accessOf(caller),
          level: namespace.level,
        }))
      : {};
}

/** Returns the fields of a container. Callers below Developer, and lower tiers, read null. */
function policyFieldsOf(
  core: GitCore,
  presenters: () => Presenters,
  container: PolicyContainer,
  accessIn: (request: QueryRequest) => Access,
): Fields {
  const mayRead = (request: QueryRequest): boolean => hasPolicies(core) && holdsRole(accessIn(request), 'developer');
  const list = (kind: keyof typeof kinds) => async (args: Arguments, request: QueryRequest) => {
    if (!mayRead(request)) return null;
    request.spend(kind, MAX_LISTS);
    const policies: Fields[] = [];
    for (const configuration of policyConfigurations(core, container, relationIn(args))) {
      policies.push(...(await listPolicies(core, presenters(), container, configuration, kind, request)));
    }
    return pageOfList(args, listOfRows(policies), (policy) => policy);
  };
  return {
    approvalPolicies: list('approvalPolicies'),
    scanExecutionPolicies: list('scanExecutionPolicies'),
    scanResultPolicies: list('scanResultPolicies'),
    securityPolicyProject: (_: Arguments, request: QueryRequest) => {
      const configuration = mayRead(request) ? policyConfiguration(core, container) : undefined;
      const found = configuration && findProject(core, configuration.policy_project_id, request.caller);
      return found === undefined ? null : presenters().projects.present(found, request);
    },
  };
}

function relationIn(args: Arguments): PolicyRelation {
  const sent = textArgument(args['relationship']);
  return sent === 'INHERITED' || sent === 'INHERITED_ONLY' ? sent : 'DIRECT';
}

async function listPolicies(
  core: GitCore,
  { projects, groups }: Presenters,
  container: PolicyContainer,
  configuration: ConfigurationRow,
  kind: keyof typeof kinds,
  request: QueryRequest,
): Promise<Fields[]> {
  const { member, type } = kinds[kind];
  const { project_id: projectId, group_id: groupId, full_path: fullPath } = configuration;
  const file = await readPolicies(core, configuration).catch((error: unknown) => {
    throw error instanceof PolicyFileRefused ? new QueryRefusal(error.message) : error;
  });
  if (kind === 'scanExecutionPolicies' && exceedsLimits(core, file)) request.noteDeprecated('scan-execution-policy-limits');
  const page = `${request.baseUrl}/${groupId === null ? '' : 'groups/'}${fullPath}/-/security/policies`;
  const source = (): Fields => {
    if (projectId !== null) {
      const found = findProject(core, projectId, request.caller);
      return {
        __typename: 'ProjectSecurityPolicySource',
        project: found === undefined ? null : projects.present(found, request),
      };
    }
    const found = groupId === null ? undefined : findNamespace(core, groupId, request.caller);
    return {
      __typename: 'GroupSecurityPolicySource',
      inherited: !('groupId' in container && container.groupId === groupId),
      namespace: found === undefined ? null : groups.presentNamespace(found),
    };
  };
  return file[member].map((policy: Policy & Defined) => ({
    description: policy.description ?? '',
    editPath: `${page}/${encodeURIComponent(policy.name)}/edit?type=${type}`,
    enabled: policy.enabled,
    name: policy.name,
    source,
    updatedAt: timeOf(file.updatedAt),
    yaml: policy.yaml,
  }));
}
