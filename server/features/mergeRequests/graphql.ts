import { globalId, type GraphqlPart, type QueryRequest, timeOf } from '../../graphql/parts.ts';
import type { MergeRequest } from './manageMergeRequests.ts';

const sdl = /* GraphQL */ `
  "State of a GitLab merge request."
  enum MergeRequestState {
    closed
    locked
    merged
    opened
  }

  type MergeRequest {
    "Timestamp of when the merge request was created."
    createdAt: Time!
    "Description of the merge request."
    description: String
    "Indicates if the merge request is a draft."
    draft: Boolean!
    "ID of the merge request."
    id: ID!
    "Internal ID of the merge request."
    iid: String!
    "Source branch of the merge request."
    sourceBranch: String!
    "State of the merge request."
    state: MergeRequestState!
    "Target branch of the merge request."
    targetBranch: String!
    "Title of the merge request."
    title: String!
    "Timestamp of when the merge request was last updated."
    updatedAt: Time!
    "Web path of the merge request."
    webPath: String!
    "Web URL of the merge request."
    webUrl: String
  }
`;

export const mergeRequestsGraphql: GraphqlPart = { sdl, query: {} };

/** Returns the fields of a merge request. The caller must have checked its visibility. */
export function mergeRequestFields(
  mergeRequest: MergeRequest,
  { baseUrl }: Pick<QueryRequest, 'baseUrl'>,
): Readonly<Record<string, unknown>> {
  const webPath = `/${mergeRequest.project_path}/-/merge_requests/${mergeRequest.iid}`;
  return {
    __typename: 'MergeRequest',
    createdAt: timeOf(mergeRequest.created_at),
    description: mergeRequest.description,
    draft: mergeRequest.draft === 1,
    id: globalId('MergeRequest', mergeRequest.id),
    iid: String(mergeRequest.iid),
    sourceBranch: mergeRequest.source_branch,
    state: mergeRequest.state,
    targetBranch: mergeRequest.target_branch,
    title: mergeRequest.title,
    updatedAt: timeOf(mergeRequest.updated_at),
    webPath,
    webUrl: `${baseUrl}${webPath}`,
  };
}
