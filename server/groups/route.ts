import type { Parameter } from '../http/params.ts';
import { containerRoutes } from '../projects/projects.ts';
import { findGroup, findMovedGroup, type FoundGroup } from './access.ts';

const routes = containerRoutes<FoundGroup, { readonly id: Parameter<string> }>({
  kind: 'group',
  find: findGroup,
  findMoved: (platform, named, caller) => findMovedGroup(platform, named, caller)?.group,
});

/** A route of a group for everybody who sees it, signed in or not. */
export const openGroupRoute = routes.open;

/** A route of a group for people with an account who hold a role in it, or with `visible` only see it. */
export const groupRoute = routes.ofRole;

/** A route of a group for administrators. */
export const administratorGroupRoute = routes.ofAdministrators;
