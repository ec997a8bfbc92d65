import {
  type Arguments,
  type GraphqlPart,
  QueryRefusal,
  type QueryRequest,
  textArgument,
  connectionArguments,
} from '../../graphql/parts.ts';
import { findGroup, findNamespace } from '../groups/groups.ts';
import { personalNamespaceId } from '../users/users.ts';
import { listOfRows, pageOfList } from '../../graphql/positionPages.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectsPart } from '../projects/projects.ts';
import { findProjects } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { type MonthlyUsage, monthlyUsage } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  "An ISO 8601-encoded date."
  scalar ISO8601Date

  "A \`NamespaceID\` is a global ID, such as \`gid://gitlab/Group/1\`."
  scalar NamespaceID

  type CiMinutesNamespaceMonthlyUsage {
    "Total number of minutes used by all projects in the namespace."
    minutes: Int
    "Month related to the usage data."
    month: String
    "Month related to the usage data in ISO 8601 date format."
    monthIso8601: ISO8601Date
    "Compute minutes usage data for projects in the namespace."
    projects(${connectionArguments}
    ): CiMinutesProjectMonthlyUsageConnection
    "Total duration (in seconds) of shared runners use by the namespace for the month."
    sharedRunnersDuration: Int
  }

  "The connection type for CiMinutesNamespaceMonthlyUsage."
  type CiMinutesNamespaceMonthlyUsageConnection {
    edges: [CiMinutesNamespaceMonthlyUsageEdge]
    nodes: [CiMinutesNamespaceMonthlyUsage]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type CiMinutesNamespaceMonthlyUsageEdge {
    cursor: String!
    node: CiMinutesNamespaceMonthlyUsage
  }

  type CiMinutesProjectMonthlyUsage {
    "Number of compute minutes used by the project in the month."
    minutes: Int
    "Name of the project."
    name: String @deprecation(id: "monthly-usage-project-name")
    "Project having the recorded usage."
    project: Project
    "Total duration (in seconds) of shared runners use by the project for the month."
    sharedRunnersDuration: Int
  }

  "The connection type for CiMinutesProjectMonthlyUsage."
  type CiMinutesProjectMonthlyUsageConnection {
    edges: [CiMinutesProjectMonthlyUsageEdge]
    nodes: [CiMinutesProjectMonthlyUsage]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type CiMinutesProjectMonthlyUsageEdge {
    cursor: String!
    node: CiMinutesProjectMonthlyUsage
  }

  extend type Query {
    "Compute usage data for a namespace."
    ciMinutesUsage(${connectionArguments}
      "Global ID of the Namespace for the monthly compute usage."
      namespaceId: NamespaceID
    ): CiMinutesNamespaceMonthlyUsageConnection
  }
`;

/** Creates the GraphQL part of pipelines: how long the jobs of a namespace ran, by month. */
export function pipelinesGraphql(core: Core, projects: ProjectsPart): GraphqlPart {
  const projectUsage = (usage: MonthlyUsage, request: QueryRequest): Fields => {
    const found = findProjects(core, [usage.project_id], request.caller).get(usage.project_id);
    return {
      minutes: minutesIn(usage.duration),
      name: found?.project.name ?? null,
      project: found === undefined ? null : projects.present(found, request),
      sharedRunnersDuration: usage.duration,
    };
  };

  const monthUsage = (month: string, usages: readonly MonthlyUsage[], request: QueryRequest): Fields => {
    const duration = usages.reduce((sum, one) => sum + one.duration, 0);
    return {
      minutes: minutesIn(duration),
      month: new Date(`${month}T00:00:00Z`).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
      monthIso8601: month,
      projects: (args: Arguments) => pageOfList(args, listOfRows(usages), (usage) => projectUsage(usage, request)),
      sharedRunnersDuration: duration,
    };
  };

  return {
    sdl,
    query: {
      ciMinutesUsage: (args, request) => {
        const { caller } = request;
        if (caller === undefined) return null;
        const sent = textArgument(args['namespaceId']);
        const id = sent === undefined ? personalNamespaceId(core, caller.user) : namespaceIdIn(sent);
        const namespace = findNamespace(core, id, caller);
        if (namespace === undefined || namespace.parent_id !== null) return null;
        const found = findGroup(core, id, caller);
        const isOwner = found === undefined ? namespace.owner_id === caller.user.id : holdsRole(found.access, 'owner');
        const usages = isOwner || caller.user.admin === 1 ? monthlyUsage(core.store, id) : [];
        const months = [...Map.groupBy(usages, ({ month }) => month)];
        return pageOfList(args, listOfRows(months), ([month, some]) => monthUsage(month, some, request));
      },
    },
  };
}

function minutesIn(seconds: number): number {
  return Math.floor(seconds / 60);
}

/**
 * Returns the number in the global ID of a group or personal namespace.
 * @throws {QueryRefusal} For any other value.
 */
function namespaceIdIn(sent: string): number {
  const digits = /^gid:\/\/gitlab\/(?:Namespace|Group|Namespaces::UserNamespace)\/(\d{1,15})$/.exec(sent)?.[1];
  if (digits === undefined) throw new QueryRefusal(`"${sent.slice(0, 100)}" does not represent an instance of Namespace`);
  return Number(digits);
}
