import { integer, required } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { type Commentable, noteRoutes } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute, type ProjectRequest } from '../projectAccess/projectAccess.ts';
import { commentableIssue } from './manageIssues.ts';
import { mustFindIssue, PATH } from './route.ts';

/** Returns the routes of comments, system notes and discussions of issues. */
export function issueNoteRoutes(core: Core): Route[] {
  return noteRoutes(core, {
    path: PATH,
    number: () => ({ issue_iid: required(integer) }),
    key: 'iid',
    hasResolution: false,
    route: (row, handle) => projectRoute(row, 'visible', (request) => handle(request, commentableOf(core, request))),
  });
}

/** Returns the issue of a path as a commentable. */
function commentableOf(core: Core, request: ProjectRequest<unknown>): Commentable {
  const iid = Number(request.context.pathParameters['issue_iid']);
  return commentableIssue(core, request, mustFindIssue(core, request, iid, request.caller.user));
}
