import {
  type Arguments,
  globalId,
  type GraphqlPart,
  numberOfGlobalId,
  type QueryRequest,
  timeOf,
  connectionArguments,
} from '../../graphql/parts.ts';
import { pageOfList } from '../../graphql/positionPages.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { presentRepository } from './present.ts';
import { type ContainerRepository, findContainerRepository } from './containerRepositories.ts';
import { countRepositories, countTags, listRepositories, sizeOf } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

const fields = /* GraphQL */ `
    "Timestamp when the container repository was created."
    createdAt: Time!
    "ID of the container repository."
    id: ID!
    "URL of the container repository."
    location: String!
    "Migration state of the container repository."
    migrationState: String! @deprecation(id: "container-repository-migration-state")
    "Name of the container repository."
    name: String!
    "Path of the container repository."
    path: String!
    "Number of tags associated with the image."
    tagsCount: Int!
`;

const sdl = /* GraphQL */ `
  "Identifier of ContainerRepository."
  scalar ContainerRepositoryID

  "A container repository."
  type ContainerRepository {${fields}  }

  "Details of a container repository."
  type ContainerRepositoryDetails {${fields}
    "Deduplicated size of the image repository in bytes."
    size: Float
  }

  "The connection type for ContainerRepository."
  type ContainerRepositoryConnection {
    edges: [ContainerRepositoryEdge]
    nodes: [ContainerRepository]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type ContainerRepositoryEdge {
    cursor: String!
    node: ContainerRepository
  }

  extend type Project {
    "Container repositories of the project."
    containerRepositories(
      ${connectionArguments}
    ): ContainerRepositoryConnection
    "Number of container repositories in the project."
    containerRepositoriesCount: Int!
  }

  extend type Query {
    "Find a container repository."
    containerRepository("Global ID of the container repository." id: ContainerRepositoryID!): ContainerRepositoryDetails
  }
`;

/** Creates the GraphQL part of the container registry. */
export function registryGraphql(core: Core): GraphqlPart {
  return {
    sdl,
    query: {
      containerRepository: ({ id }, request) => {
        const repository = findContainerRepository(core, numberOfGlobalId('ContainerRepository', id));
        const found = repository === undefined ? undefined : findProject(core, repository.project_id, request.caller);
        if (repository === undefined || found?.can.readCode !== true) return null;
        return { ...fieldsOf(core, repository, request), size: () => sizeOf(core.store, repository.id) };
      },
    },
  };
}

/** Returns the container repositories of a project for callers who can read its code, and null for others. */
export function containerRepositoriesOf(core: Core): (found: FoundProject) => Fields {
  const { store } = core;
  return ({ project, can }) => {
    const container = { projectId: project.id };
    const list = {
      count: (cap: number) => countRepositories(store, container, cap),
      rows: (limit: number, offset: number) => listRepositories(store, container, limit, offset),
    };
    return {
      containerRepositories: (args: Arguments, request: QueryRequest) =>
        can.readCode ? pageOfList(args, list, (row) => fieldsOf(core, row, request)) : null,
      containerRepositoriesCount: () => (can.readCode ? countRepositories(store, container, Number.MAX_SAFE_INTEGER) : 0),
    };
  };
}

function fieldsOf({ store }: Core, repository: ContainerRepository, { baseUrl }: QueryRequest): Fields {
  const { name, path, location } = presentRepository(repository, baseUrl);
  return {
    createdAt: timeOf(repository.created_at),
    id: globalId('ContainerRepository', repository.id),
    location,
    // The migration to which it belongs was never one of self-managed instances, and has ended elsewhere.
    migrationState: '',
    name,
    path,
    tagsCount: () => countTags(store, repository.id, Number.MAX_SAFE_INTEGER),
  };
}
