import { compareReleases } from '../../../src/contract/releases.ts';
import { isoDate } from '../../core/clock.ts';
import { idPage, type IdRange } from '../../graphql/idPages.ts';
import {
  type Arguments,
  globalId,
  type GraphqlPart,
  type QueryRequest,
  textArgument,
  textsArgument,
  timeOf,
} from '../../graphql/parts.ts';
import { type milestoneResponse, milestonesById, milestoneWildcards, requestedByWildcard } from '../milestones/milestones.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import type { IssueFilter } from './filters.ts';
import type { Issue } from './manageIssues.ts';
import { listIssuesAfter } from './store.ts';

type Fields = Readonly<Record<string, unknown>>;

const sdl = /* GraphQL */ `
  "State of a GitLab issue."
  enum IssueState {
    closed
    opened
  }

  "State of issues and merge requests in filters."
  enum IssuableState {
    all
    closed
    opened
  }

  "Milestone ID wildcard values."
  enum MilestoneWildcardId {
    "Milestone is assigned."
    ANY
    "No milestone is assigned."
    NONE
    "Milestone assigned is open and has started. Since release 18.0 it must also not be past its due date."
    STARTED
    "Milestone assigned is the next one to be due. Since release 18.0: it starts in the future."
    UPCOMING
  }

  "Current state of milestone."
  enum MilestoneStateEnum {
    active
    closed
  }

  "Represents a milestone."
  type Milestone {
    "Description of the milestone."
    description: String
    "Due date of the milestone."
    dueDate: Time
    "ID of the milestone."
    id: ID!
    "Internal ID of the milestone."
    iid: ID!
    "Start date of the milestone."
    startDate: Time
    "State of the milestone."
    state: MilestoneStateEnum!
    "Title of the milestone."
    title: String!
  }

  type Issue {
    "Indicates the issue is confidential."
    confidential: Boolean!
    "Timestamp of when the issue was created."
    createdAt: Time!
    "Description of the issue."
    description: String
    "ID of the issue."
    id: ID!
    "Internal ID of the issue."
    iid: ID!
    "Milestone of the issue."
    milestone: Milestone
    "State of the issue."
    state: IssueState!
    "Title of the issue."
    title: String!
    "Timestamp of when the issue was last updated."
    updatedAt: Time!
    "Web path of the issue."
    webPath: String!
    "Web URL of the issue."
    webUrl: String!
  }

  "The connection type for Issue."
  type IssueConnection {
    edges: [IssueEdge]
    nodes: [Issue]
    pageInfo: PageInfo!
  }

  "An edge in a connection."
  type IssueEdge {
    cursor: String!
    node: Issue
  }

  extend type Project {
    "Issues of the project, the newest first."
    issues(
      "Return the elements in the list that come after the specified cursor."
      after: String
      "Return the elements in the list that come before the specified cursor."
      before: String
      "Returns the first _n_ elements from the list."
      first: Int
      "List of IIDs of issues."
      iids: [String!]
      "Returns the last _n_ elements from the list."
      last: Int
      "Filter issues by milestone ID wildcard."
      milestoneWildcardId: MilestoneWildcardId
      "Current state of this issue."
      state: IssuableState
    ): IssueConnection
  }
`;

/** Number of lists of issues that one request can ask for. */
const MAX_LISTS = 20;

export const issuesGraphql: GraphqlPart = { sdl, query: {} };

/** Returns the fields of projects about their issues. */
export function issuesOf(core: Core): (found: FoundProject) => Fields {
  return ({ project, can }) => ({
    issues: (args: Arguments, request: QueryRequest) => {
      if (!can.readIssues) return null;
      request.spend('issues', MAX_LISTS);
      const filter = filterOf(core, project.id, args, request);
      return idPage(
        args,
        (range) => issuesInRange(core, filter, range),
        (rows) => issueFields(core, rows, request),
      );
    },
  });
}

function filterOf(core: Core, projectId: number, args: Arguments, request: QueryRequest): IssueFilter {
  const { caller, now } = request;
  const state = textArgument(args['state']);
  const iids = textsArgument(args['iids'])?.map((iid) => (/^\d{1,10}$/.test(iid) ? Number(iid) : 0));
  return {
    viewer: viewerId(caller),
    readable: readableIssuesSql(accessOf(caller)),
    projectId,
    today: isoDate(now),
    state: state === 'opened' || state === 'closed' ? state : undefined,
    iids: iids?.length === 0 ? undefined : iids,
    milestone: milestoneOf(core, textArgument(args['milestoneWildcardId']), request),
  };
}

function milestoneOf({ profile }: Core, sent: string | undefined, request: QueryRequest): IssueFilter['milestone'] {
  const wildcard = milestoneWildcards.find((one) => one === sent);
  if (wildcard === undefined) return undefined;
  if (wildcard === 'STARTED' || wildcard === 'UPCOMING') request.noteDeprecated('milestone-filters');
  return requestedByWildcard(wildcard, compareReleases(profile.release, '18.0') >= 0);
}

async function issuesInRange(
  { store }: Core,
  filter: IssueFilter,
  { idBefore, idAfter, sort, limit }: IdRange,
): Promise<readonly Issue[]> {
  const [start, end] = sort === 'asc' ? [idAfter, idBefore] : [idBefore, idAfter];
  const after = start === undefined ? undefined : { value: start, id: start };
  const rows = await listIssuesAfter(store, filter, { order: 'id', sort, limit, after });
  return end === undefined ? rows : rows.filter(({ id }) => (sort === 'asc' ? id < end : id > end));
}

/** Returns the fields of issues. The caller must have checked their visibility. */
export function issueFields(core: Core, issues: readonly Issue[], { baseUrl }: Pick<QueryRequest, 'baseUrl'>): Fields[] {
  const milestones = milestonesById(
    core,
    issues.map((issue) => issue.milestone_id),
    baseUrl,
  );
  return issues.map((issue) => {
    const webPath = `/${issue.project_path}/-/issues/${issue.iid}`;
    const milestone = issue.milestone_id === null ? undefined : milestones.get(issue.milestone_id);
    return {
      __typename: 'Issue',
      confidential: issue.confidential === 1,
      createdAt: timeOf(issue.created_at),
      description: issue.description,
      id: globalId('Issue', issue.id),
      iid: String(issue.iid),
      milestone: milestone === undefined ? null : milestoneFields(milestone),
      state: issue.state,
      title: issue.title,
      updatedAt: timeOf(issue.updated_at),
      webPath,
      webUrl: `${baseUrl}${webPath}`,
    };
  });
}

function milestoneFields(milestone: ResponseOf<typeof milestoneResponse>): Fields {
  return {
    description: milestone.description,
    dueDate: milestone.due_date,
    id: globalId('Milestone', milestone.id),
    iid: String(milestone.iid),
    startDate: milestone.start_date,
    state: milestone.state,
    title: milestone.title,
  };
}
