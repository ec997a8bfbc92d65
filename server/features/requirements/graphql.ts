import { idPage } from '../../graphql/idPages.ts';
import {
  type Arguments,
  globalId,
  type GraphqlPart,
  inputArgument,
  NOT_AUTHORIZED,
  QueryRefusal,
  type QueryRequest,
  textArgument,
  textsArgument,
  timeOf,
} from '../../graphql/parts.ts';
import { presentPerson } from '../profiles/profiles.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectFields } from '../projects/projects.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import {
  createRequirement,
  findRequirement,
  hasWorkItemIids,
  iidOf,
  mayChange,
  mayRead,
  type Requirement,
  type RequirementInput,
  updateRequirement,
} from './manageRequirements.ts';
import { listRequirements, type RequirementFilter } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  "State of a requirement."
  enum RequirementState {
    ARCHIVED
    OPENED
  }

  "Represents a requirement."
  type Requirement {
    "Author of the requirement."
    author: UserCore!
    "Timestamp of when the requirement was created."
    createdAt: Time!
    "Description of the requirement."
    description: String
    "ID of the requirement."
    id: ID!
    "Internal ID of the requirement: the legacy one before release 19.0, that of the work item from then on."
    iid: ID!
    "State of the requirement."
    state: RequirementState!
    "Title of the requirement."
    title: String
    "Timestamp of when the requirement was last updated."
    updatedAt: Time!
    "Work item IID of the requirement."
    workItemIid: ID!
  }

  "The connection type for Requirement."
  type RequirementConnection {
    edges: [RequirementEdge]
    nodes: [Requirement]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type RequirementEdge {
    cursor: String!
    node: Requirement
  }

  extend type Project {
    "Find a single requirement."
    requirement(
      "IID of the requirement, for example, 1."
      iid: ID
      "IID of the requirement work item, for example, 1."
      workItemIid: ID
    ): Requirement
    "Find requirements, the newest first."
    requirements(
      "Return the elements in the list that come after the specified cursor."
      after: String
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list."
      first: Int
      "List of IIDs of requirements."
      iids: [ID!]
      "Returns the last _n_ elements from the list."
      last: Int
      "Filter requirements by state."
      state: RequirementState
      "List of IIDs of requirement work items."
      workItemIids: [ID!]
    ): RequirementConnection
  }

  extend type Mutation {
    "Create a requirement."
    createRequirement(input: CreateRequirementInput!): CreateRequirementPayload
    "Change a requirement."
    updateRequirement(input: UpdateRequirementInput!): UpdateRequirementPayload
  }

  input CreateRequirementInput {
    clientMutationId: String
    "Description of the requirement."
    description: String
    "Full project path the requirement is associated with."
    projectPath: ID!
    "Title of the requirement."
    title: String
  }

  type CreateRequirementPayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Requirement after mutation."
    requirement: Requirement
  }

  input UpdateRequirementInput {
    clientMutationId: String
    "Description of the requirement."
    description: String
    "IID of the requirement to update."
    iid: String
    "Full project path the requirement is associated with."
    projectPath: ID!
    "State of the requirement."
    state: RequirementState
    "Title of the requirement."
    title: String
    "IID of the requirement work item to update."
    workItemIid: String
  }

  type UpdateRequirementPayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Requirement after mutation."
    requirement: Requirement
  }
`;

/** Number of lists of requirements that one request can ask for. */
const MAX_LISTS = 20;

/** Returns the fields of projects about requirements. Null for users who cannot see them. */
export function requirementFieldsOf(core: Core): ProjectFields {
  return (found) => ({
    requirement: (args: Arguments, request: QueryRequest) => {
      if (!mayRead(core, found)) return null;
      request.spend('requirement', MAX_LISTS);
      const sent = sentIid(args, request);
      const requirement = sent === undefined ? undefined : findRequirement(core, found.project, sent);
      return requirement === undefined ? null : presentRequirement(core, requirement, request);
    },
    requirements: (args: Arguments, request: QueryRequest) => {
      if (!mayRead(core, found)) return null;
      request.spend('requirements', MAX_LISTS);
      const filters = filtersOf(core, found.project.id, args, request);
      return idPage(
        args,
        ({ idBefore, idAfter, sort, limit }) => listRequirements(core.store, { ...filters, idBefore, idAfter }, { sort, limit }),
        (rows) => rows.map((row) => presentRequirement(core, row, request)),
      );
    },
  });
}

function filtersOf(core: Core, projectId: number, args: Arguments, request: QueryRequest): RequirementFilter {
  const numbers = (name: string): readonly number[] | undefined => {
    const texts = textsArgument(args[name]);
    return texts === undefined || texts.length === 0 ? undefined : texts.map(numberOf);
  };
  const iids = numbers('iids');
  if (iids !== undefined) request.noteDeprecated('requirement-iids');
  const workItemIids = numbers('workItemIids');
  const state = textArgument(args['state']);
  if (iids === undefined || !hasWorkItemIids(core)) return { projectId, iids, workItemIids, state };
  const named = workItemIids === undefined ? iids : iids.filter((iid) => workItemIids.includes(iid));
  return { projectId, workItemIids: named, state };
}

/** Returns the number in a text; 0, which no requirement has, if it is none. */
function numberOf(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : 0;
}

/** Returns the IID that names a requirement; undefined without one. */
function sentIid(
  args: Arguments,
  request: QueryRequest,
): { readonly iid: number } | { readonly workItemIid: number } | undefined {
  const [iid, workItemIid] = [textArgument(args['iid']), textArgument(args['workItemIid'])];
  if (iid !== undefined) request.noteDeprecated('requirement-iids');
  if (workItemIid !== undefined) return { workItemIid: numberOf(workItemIid) };
  return iid === undefined ? undefined : { iid: numberOf(iid) };
}

function presentRequirement(core: Core, requirement: Requirement, { baseUrl }: QueryRequest): Fields {
  return {
    author: () => {
      const author = findUser(core, requirement.author_id);
      return author === undefined ? null : presentPerson(author, baseUrl);
    },
    createdAt: timeOf(requirement.created_at),
    description: requirement.description,
    id: globalId('RequirementsManagement::Requirement', requirement.id),
    iid: (_: Arguments, request: QueryRequest) => {
      request.noteDeprecated('requirement-iids');
      return String(iidOf(core, requirement));
    },
    state: requirement.state,
    title: requirement.title,
    updatedAt: timeOf(requirement.updated_at),
    workItemIid: String(requirement.work_item_iid),
  };
}

/** Returns the part with the mutations of requirements. */
export function requirementsGraphql(core: Core): GraphqlPart {
  const mustFindProject = (path: unknown, { caller }: QueryRequest): FoundProject => {
    const text = textArgument(path) ?? '';
    const found = text.includes('/') ? findProject(core, text, caller) : undefined;
    if (found === undefined || !mayChange(core, found)) throw new QueryRefusal(NOT_AUTHORIZED);
    return found;
  };
  const payload = (clientMutationId: unknown, result: Requirement | readonly string[], request: QueryRequest): Fields =>
    'id' in result
      ? { clientMutationId, errors: [], requirement: presentRequirement(core, result, request) }
      : { clientMutationId, errors: result, requirement: null };
  return {
    sdl,
    query: {},
    mutation: {
      createRequirement: ({ input }, request) => {
        const sent = inputArgument(input);
        const { project } = mustFindProject(sent['projectPath'], request);
        if (request.caller === undefined) throw new QueryRefusal(NOT_AUTHORIZED);
        const made = createRequirement(core, project, request.caller.user, inputOf(sent));
        return payload(sent['clientMutationId'], made, request);
      },
      updateRequirement: ({ input }, request) => {
        const sent = inputArgument(input);
        const { project } = mustFindProject(sent['projectPath'], request);
        const named = sentIid(sent, request);
        if (named === undefined) throw new QueryRefusal('One of iid or workItemIid is required');
        const requirement = findRequirement(core, project, named);
        if (requirement === undefined) throw new QueryRefusal(NOT_AUTHORIZED);
        return payload(sent['clientMutationId'], updateRequirement(core, requirement, inputOf(sent)), request);
      },
    },
  };
}

function inputOf(sent: Arguments): RequirementInput {
  const state = textArgument(sent['state']);
  return {
    title: textArgument(sent['title']),
    description: textArgument(sent['description']),
    state: state === 'OPENED' || state === 'ARCHIVED' ? state : undefined,
  };
}
