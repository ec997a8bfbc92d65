import { integer, required } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import { noteRoutes } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projectAccess/projectAccess.ts';
import { commentableIssue } from './manageIssues.ts';
import { mustFindIssue, PATH } from './route.ts';

/** Returns the routes of comments, system notes and discussions of issues. */
export function issueNoteRoutes(core: Core): Route[] {
  return noteRoutes(core, {
    path: PATH,
    number: () => ({ issue_iid: required(integer) }),
    key: 'iid',
    hasResolution: false,
    route: (row, handle) =>
      projectRoute(row, 'visible', (request) => {
        const issue = mustFindIssue(core, request, Number(request.context.pathParameters['issue_iid']), request.caller.user);
        return handle(request, commentableIssue(core, request, issue));
      }),
  });
}
