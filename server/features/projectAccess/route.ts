import type { Parameter } from '../../http/params.ts';
import type { SignedInRequest } from '../../http/route.ts';
import { findMovedProject, findProject, type FoundProject } from './access.ts';
import { containerRoutes } from './containerRoute.ts';

/** A request of a signed-in user that names a project. */
export type ProjectRequest<Params> = SignedInRequest<Params> & FoundProject;

const routes = containerRoutes<FoundProject, { readonly id: Parameter<string> } | { readonly project_id: Parameter<string> }>({
  kind: 'project',
  find: findProject,
  admits: ({ authentication, method }, { project }, caller) =>
    authentication.admits(caller, project, method === 'GET' || method === 'HEAD'),
  findMoved: (core, named, caller) => findMovedProject(core, named, caller)?.project,
});

/** A project route for everyone who can see the project, signed in or not. */
export const openProjectRoute = routes.open;

/** A project route for signed-in users with a role in the project, or with `visible` for those who can see it. */
export const projectRoute = routes.ofRole;
