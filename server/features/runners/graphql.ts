import { findGroup } from '../groups/groups.ts';
import {
  type Arguments,
  badCursor,
  connection,
  decodeCursor,
  encodeCursor,
  flagArgument,
  globalId,
  type GraphqlPart,
  inputArgument,
  messageOf,
  numberArgument,
  numberOfGlobalId,
  QueryRefusal,
  type QueryRequest,
  textArgument,
  textsArgument,
  timeOf,
  connectionArguments,
} from '../../graphql/parts.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { instanceOwner, resetRegistrationToken, type TokenOwner } from '../registrationTokens/registrationTokens.ts';
import { accessLevels, statusOf } from './rules.ts';
import { createRunner, type Issued } from './manageRunners.ts';
import { type RunnerPlatform, runnerPlatforms } from './setup.ts';
import { tagsOf } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  extend type Query {
    "Supported runner platforms."
    runnerPlatforms(${connectionArguments}): RunnerPlatformConnection @deprecation(id: "runner-setup-queries")
    "Runner setup instructions."
    runnerSetup(
      "Architecture to generate the instructions for."
      architecture: String!
      "Platform to generate the instructions for."
      platform: String!
    ): RunnerSetup @deprecation(id: "runner-setup-queries")
  }

  type RunnerPlatform {
    "Runner architectures supported for the platform."
    architectures(${connectionArguments}): RunnerArchitectureConnection
    "Human readable name of the runner platform."
    humanReadableName: String!
    "Name slug of the runner platform."
    name: String!
  }

  "The connection type for RunnerPlatform."
  type RunnerPlatformConnection {
    edges: [RunnerPlatformEdge]
    nodes: [RunnerPlatform]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type RunnerPlatformEdge {
    cursor: String!
    node: RunnerPlatform
  }

  type RunnerArchitecture {
    "Download location for the runner for the platform architecture."
    downloadLocation: String!
    "Name of the runner platform architecture."
    name: String!
  }

  "The connection type for RunnerArchitecture."
  type RunnerArchitectureConnection {
    edges: [RunnerArchitectureEdge]
    nodes: [RunnerArchitecture]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type RunnerArchitectureEdge {
    cursor: String!
    node: RunnerArchitecture
  }

  type RunnerSetup {
    "Instructions for installing the runner on the specified architecture."
    installInstructions: String!
    "Instructions for registering the runner. Null for platforms without a program of their own."
    registerInstructions: String
  }

  enum CiRunnerType {
    "A runner that is group type."
    GROUP_TYPE
    "A runner that is instance type."
    INSTANCE_TYPE
    "A runner that is project type."
    PROJECT_TYPE
  }

  enum CiRunnerAccessLevel {
    "A runner that is not protected."
    NOT_PROTECTED
    "A runner that is ref protected."
    REF_PROTECTED
  }

  enum CiRunnerStatus {
    "Runner that has never contacted this instance."
    NEVER_CONTACTED
    "Runner that has not contacted this instance for two hours."
    OFFLINE
    "Runner that contacted this instance within the last two hours."
    ONLINE
    "Runner that has not contacted this instance for a week."
    STALE
  }

  type CiRunner {
    "Access level of the runner."
    accessLevel: CiRunnerAccessLevel!
    "Timestamp of last contact from this runner."
    contactedAt: Time
    "Timestamp of creation of this runner."
    createdAt: Time
    "Description of the runner."
    description: String
    "Authentication token of the runner, which is shown only in the response to its creation."
    ephemeralAuthenticationToken: String
    "ID of the runner."
    id: ID!
    "Indicates the runner is locked."
    locked: Boolean
    "Runner's maintenance notes."
    maintenanceNote: String
    "Maximum timeout (in seconds) for jobs processed by the runner."
    maximumTimeout: Int
    "Indicates the runner is paused and not available to run jobs."
    paused: Boolean!
    "Indicates the runner is able to run untagged jobs."
    runUntagged: Boolean!
    "Type of the runner."
    runnerType: CiRunnerType!
    "Status of the runner."
    status: CiRunnerStatus!
    "Tags associated with the runner."
    tagList: [String!]
  }

  extend type Mutation {
    runnerCreate(input: RunnerCreateInput!): RunnerCreatePayload @since(release: "15.11")
    runnersRegistrationTokenReset(input: RunnersRegistrationTokenResetInput!): RunnersRegistrationTokenResetPayload
      @deprecation(id: "runner-registration-token-reset-mutation")
  }

  input RunnerCreateInput {
    "Access level of the runner."
    accessLevel: CiRunnerAccessLevel
    clientMutationId: String
    "Description of the runner."
    description: String
    "Global ID of the group that the runner is created in (valid only for group runner)."
    groupId: ID
    "Indicates the runner is locked."
    locked: Boolean
    "Runner's maintenance notes."
    maintenanceNote: String
    "Maximum timeout (in seconds) for jobs processed by the runner."
    maximumTimeout: Int
    "Indicates the runner is not allowed to receive jobs."
    paused: Boolean
    "Global ID of the project that the runner is created in (valid only for project runner)."
    projectId: ID
    "Indicates the runner is able to run untagged jobs."
    runUntagged: Boolean
    "Type of the runner to create."
    runnerType: CiRunnerType!
    "Tags associated with the runner."
    tagList: [String!]
  }

  type RunnerCreatePayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Runner after mutation."
    runner: CiRunner
  }

  input RunnersRegistrationTokenResetInput {
    clientMutationId: String
    "ID of the project or group to reset the token for. Omit if resetting instance runner token."
    id: ID
    "Scope of the object to reset the token for."
    type: CiRunnerType!
  }

  type RunnersRegistrationTokenResetPayload {
    clientMutationId: String
    "Errors encountered during the mutation."
    errors: [String!]!
    "Runner token after mutation."
    token: String
  }
`;

const NOT_AUTHORIZED =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

/** Returns the part of the schema about runners. */
export function runnersGraphql(core: Core): GraphqlPart {
  return {
    sdl,
    query: {
      runnerPlatforms: (args) => pageOf(runnerPlatforms.map(platformFields), args),
      runnerSetup: (args, { baseUrl }) => setupFields(args, baseUrl),
    },
    mutation: {
      runnerCreate: ({ input }, request) => created(core, inputArgument(input), request),
      runnersRegistrationTokenReset: ({ input }, { caller }) => {
        const { type, id, clientMutationId } = inputArgument(input);
        const token = resetRegistrationToken(core, ownerOf(core, type, id, caller));
        return { clientMutationId, errors: [], token };
      },
    },
  };
}

function platformFields({ name, title, downloads }: RunnerPlatform): Fields {
  const architectures = downloads.map(([architecture, downloadLocation]) => ({ name: architecture, downloadLocation }));
  return {
    name,
    humanReadableName: title,
    architectures: (args: Arguments) => (architectures.length === 0 ? null : pageOf(architectures, args)),
  };
}

/** @throws {QueryRefusal} For an unknown platform or architecture. */
function setupFields({ platform: name, architecture }: Arguments, baseUrl: string): Fields {
  const found = runnerPlatforms.find((one) => one.name === name);
  if (found === undefined) throw new QueryRefusal('Invalid OS');
  const { downloads, install, command } = found;
  const download = downloads.find(([known]) => known === architecture)?.[1];
  if (command !== undefined && download === undefined) throw new QueryRefusal('Architecture not found for OS');
  return {
    installInstructions: install(download ?? ''),
    registerInstructions:
      command === undefined ? null : `${command} register --url ${baseUrl}/ --registration-token $REGISTRATION_TOKEN`,
  };
}

/** Returns a page of a short list. Cursors are positions in it. */
function pageOf<T>(items: readonly T[], args: Arguments): Fields {
  const position = (value: unknown): number | undefined => {
    const text = textArgument(value);
    if (text === undefined) return undefined;
    const [index] = decodeCursor(text) ?? [];
    if (typeof index !== 'number') throw badCursor();
    return index;
  };
  const [first, last] = [numberArgument(args['first']), numberArgument(args['last'])];
  let start = Math.max((position(args['after']) ?? -1) + 1, 0);
  let end = Math.min(position(args['before']) ?? items.length, items.length);
  if (first !== undefined) end = Math.min(end, start + Math.max(first, 0));
  if (last !== undefined) start = Math.max(start, end - Math.max(last, 0));
  const shown = items.slice(start, Math.max(end, start));
  const cursorOf = (index: number): string => encodeCursor([start + index]);
  return connection(shown, (_, index) => cursorOf(index), {
    hasNextPage: end < items.length,
    hasPreviousPage: start > 0,
    startCursor: shown.length === 0 ? null : cursorOf(0),
    endCursor: shown.length === 0 ? null : cursorOf(shown.length - 1),
  });
}

/**
 * Returns the instance, group or project whose runners are meant.
 *
 * @throws {QueryRefusal} If the caller does not manage them.
 */
function ownerOf(core: Core, type: unknown, id: unknown, caller: Caller | undefined): TokenOwner {
  if (type === 'INSTANCE_TYPE') {
    if (id !== undefined && id !== null) throw new QueryRefusal("id must not be specified for 'instance_type' scope");
    if (caller?.user.admin !== 1) throw new QueryRefusal(NOT_AUTHORIZED);
    return instanceOwner;
  }
  const isGroup = type === 'GROUP_TYPE';
  const number = numberOfGlobalId(isGroup ? 'Group' : 'Project', id);
  const access = isGroup ? findGroup(core, number, caller)?.access : findProject(core, number, caller)?.access;
  if (access === undefined || !holdsRole(access, isGroup ? 'owner' : 'maintainer')) throw new QueryRefusal(NOT_AUTHORIZED);
  return { kind: isGroup ? 'group' : 'project', id: number };
}

/** Creates a runner. Errors of its values are part of the payload. */
function created(core: Core, input: Arguments, { caller, now }: QueryRequest): Fields {
  const { clientMutationId, runnerType, groupId, projectId } = input;
  if (caller === undefined) throw new QueryRefusal(NOT_AUTHORIZED);
  const { kind, id } = ownerOf(core, runnerType, runnerType === 'GROUP_TYPE' ? groupId : projectId, caller);
  const flag = (name: string): boolean | undefined => (typeof input[name] === 'boolean' ? flagArgument(input[name]) : undefined);
  const accessLevel = textArgument(input['accessLevel'])?.toLowerCase();
  try {
    const issued = createRunner(
      core,
      caller,
      { type: `${kind}_type`, id },
      {
        description: textArgument(input['description']),
        maintenanceNote: textArgument(input['maintenanceNote']),
        paused: flag('paused'),
        locked: flag('locked'),
        runUntagged: flag('runUntagged'),
        accessLevel: accessLevels.find((one) => one === accessLevel),
        maximumTimeout: numberArgument(input['maximumTimeout']),
        tags: textsArgument(input['tagList']),
      },
    );
    return { clientMutationId, errors: [], runner: runnerFields(core, issued, now) };
  } catch (error) {
    const message = messageOf(error);
    if (message === undefined) throw error;
    return { clientMutationId, errors: [message], runner: null };
  }
}

function runnerFields({ store }: Core, { runner, token }: Issued, now: number): Fields {
  return {
    id: globalId('Ci::Runner', runner.id),
    accessLevel: runner.access_level.toUpperCase(),
    contactedAt: runner.contacted_at === null ? null : timeOf(runner.contacted_at),
    createdAt: timeOf(runner.created_at),
    description: runner.description,
    ephemeralAuthenticationToken: token,
    locked: runner.locked === 1,
    maintenanceNote: runner.maintenance_note,
    maximumTimeout: runner.maximum_timeout,
    paused: runner.paused === 1,
    runUntagged: runner.run_untagged === 1,
    runnerType: runner.runner_type.toUpperCase(),
    status: statusOf(runner, now).toUpperCase(),
    tagList: tagsOf(store, runner.id),
  };
}
