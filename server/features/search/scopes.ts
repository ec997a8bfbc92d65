import type { Caller } from '../../core/caller.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { SlowOffsetList } from '../../http/pagination.ts';
import { searchBlobs, searchCommits } from '../code/code.ts';
import { visibleGroupsSql } from '../groups/groups.ts';
import { searchUsers } from '../profiles/profiles.ts';
import { searchIssues } from '../issues/issues.ts';
import { searchMergeRequests } from '../mergeRequests/mergeRequests.ts';
import { searchMilestones } from '../milestones/milestones.ts';
import { searchNotes } from '../notes/notes.ts';
import { accessOf, type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import { readableInternalNotesSql, readableIssuesSql, visibleProjectsSql } from '../abilities/abilities.ts';
import { searchProjects } from '../projects/projects.ts';
import { readableSnippetSql, searchSnippets, visibleSnippetsSql } from '../snippets/snippets.ts';

/** Scopes by level, as GitLab lists them. */
export const scopes = {
  instance: ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'users'],
  group: ['projects', 'issues', 'merge_requests', 'milestones', 'users'],
  project: ['issues', 'merge_requests', 'milestones', 'notes', 'wiki_blobs', 'commits', 'blobs', 'users'],
} as const;

/** Scopes that the instance and groups have only with an index of everything, which this server does not have. */
export const advancedScopes = ['wiki_blobs', 'blobs', 'commits', 'notes'] as const;

export const states = ['all', 'opened', 'closed', 'merged'] as const;

/** Search of a user, who finds only what they may read. */
export interface Query {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly now: number;
  readonly search: string;
  readonly state: (typeof states)[number] | undefined;
  readonly confidential: boolean | undefined;
  /** False to leave out archived projects and what belongs to them. */
  readonly withArchived: boolean;
  readonly sort: 'asc' | 'desc';
}

type Found = SlowOffsetList<unknown>;

const nothing: Found = { count: () => 0, rows: () => [] };

/** Where issues, merge requests and milestones are searched: everywhere, or in a group or project. */
type Place = { readonly groupId?: number; readonly projectId?: number };

function searchIn(core: GitCore, query: Query, scope: 'issues' | 'merge_requests' | 'milestones', place: Place): Found {
  const { search, sort, state, confidential } = query;
  const withoutArchived = !query.withArchived && place.projectId === undefined;
  const where = { ...place, search, withoutArchived };
  if (scope === 'milestones') return searchMilestones(core, query, where, sort);
  if (scope === 'merge_requests') {
    return searchMergeRequests(core, query, { ...where, state: state === 'all' ? undefined : state }, sort);
  }
  if (state === 'merged') return nothing;
  return searchIssues(core, query, { ...where, state: state === 'all' ? undefined : state, confidential }, sort);
}

export function searchInstance(core: GitCore, query: Query, scope: (typeof scopes.instance)[number]): Found {
  const { search, sort, baseUrl } = query;
  switch (scope) {
    case 'projects':
      return searchProjects(core, query, { search, withoutArchived: !query.withArchived, sort });
    case 'users':
      return searchUsers(core, baseUrl, { search }, sort);
    case 'snippet_titles':
      return searchSnippets(core, query, search, sort);
    case 'issues':
    case 'merge_requests':
    case 'milestones':
      return searchIn(core, query, scope, {});
  }
}

export function searchGroup(core: GitCore, query: Query, groupId: number, scope: (typeof scopes.group)[number]): Found {
  const { search, sort, baseUrl, caller } = query;
  const access = accessOf(caller);
  switch (scope) {
    case 'projects':
      return searchProjects(core, query, { search, groupId, withoutArchived: !query.withArchived, sort });
    case 'users': {
      const visible = { groups: visibleGroupsSql(access), projects: visibleProjectsSql(access) };
      return searchUsers(core, baseUrl, { search, group: { id: groupId, viewer: viewerId(caller), ...visible } }, sort);
    }
    case 'issues':
    case 'merge_requests':
    case 'milestones':
      return searchIn(core, query, scope, { groupId });
  }
}

/** Searches a project. `ref` names a branch, tag or commit; an empty one means the default branch. */
export async function searchProject(
  core: GitCore,
  query: Query,
  found: FoundProject,
  { scope, ref }: { readonly scope: (typeof scopes.project)[number]; readonly ref: string },
): Promise<Found> {
  const { search, sort, baseUrl, caller } = query;
  const { project, can } = found;
  switch (scope) {
    case 'users':
      return searchUsers(core, baseUrl, { search, projectId: project.id }, sort);
    case 'notes':
      return searchNotes(
        core,
        baseUrl,
        { search, projectId: project.id, viewer: viewerId(caller), readable: readableNotes(query, found) },
        sort,
      );
    case 'blobs':
      return can.readCode ? searchBlobs(core, project, { search, ref }) : nothing;
    case 'commits':
      return can.readCode ? searchCommits(core, project, { search, ref }, baseUrl) : nothing;
    case 'wiki_blobs':
      // Projects have no wikis.
      return nothing;
    case 'issues':
    case 'merge_requests':
    case 'milestones':
      return searchIn(core, query, scope, { projectId: project.id });
  }
}

/** Returns the SQL condition for the notes `n` of a project that the caller can read. */
function readableNotes({ caller }: Query, { can }: FoundProject): string {
  const access = accessOf(caller);
  const issue = `EXISTS (SELECT 1 FROM issues_view i JOIN projects_view p ON p.id = i.project_id
    LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
    WHERE i.id = n.noteable_id AND ${readableIssuesSql(access)})`;
  return `(n.internal = 0 OR ${readableInternalNotesSql(access)}) AND CASE n.noteable_type
    WHEN 'Issue' THEN ${issue}
    WHEN 'MergeRequest' THEN ${can.readMergeRequests}
    WHEN 'Commit' THEN ${can.readCode}
    WHEN 'Snippet' THEN ${readableSnippetSql(visibleSnippetsSql(access, visibleProjectsSql(access)), 'n.noteable_id')}
    ELSE false END`;
}
