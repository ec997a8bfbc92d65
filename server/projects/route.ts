import type { Parameter } from '../http/params.ts';
import { findMovedProject, findProject, type FoundProject } from './access.ts';
import { containerRoutes } from './containerRoute.ts';

const routes = containerRoutes<FoundProject, { readonly id: Parameter<string> } | { readonly project_id: Parameter<string> }>({
  kind: 'project',
  find: findProject,
  findMoved: (platform, named, caller) => findMovedProject(platform, named, caller)?.project,
});

/** A route of a project for everybody who sees it, signed in or not. */
export const openProjectRoute = routes.open;

/** A route of a project for people with an account who hold a role in it, or with `visible` only see it. */
export const projectRoute = routes.ofRole;
