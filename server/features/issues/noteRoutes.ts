import { integer, required } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import { noteRoutes } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, projectRoute } from '../projects/projects.ts';
import { type Issue, commentableIssue } from './manageIssues.ts';

type FindIssue = (found: FoundProject, iid: number, user: User | undefined) => Issue;

/** Returns the routes of comments, system notes and discussions of issues. */
export function issueNoteRoutes(core: Core, findIssue: FindIssue): Route[] {
  return noteRoutes(core, {
    path: '/api/v4/projects/:id/issues/:issue_iid',
    number: () => ({ issue_iid: required(integer) }),
    key: 'iid',
    hasResolution: false,
    route: (row, handle) =>
      projectRoute(row, 'visible', (request) => {
        const issue = findIssue(request, Number(request.context.pathParameters['issue_iid']), request.caller.user);
        return handle(request, commentableIssue(core, request, issue));
      }),
  });
}
