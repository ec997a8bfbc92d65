import type { Parameter } from '../../http/params.ts';
import { containerRoutes } from '../projectAccess/projectAccess.ts';
import { findGroup, findMovedGroup, type FoundGroup } from './access.ts';

const routes = containerRoutes<FoundGroup, { readonly id: Parameter<string> }>({
  kind: 'group',
  find: findGroup,
  findMoved: (core, named, caller) => findMovedGroup(core, named, caller)?.group,
});

/** Returns a group route that is open to everyone who can see the group, with or without a token. */
export const openGroupRoute = routes.open;

/** Returns a group route that requires a token and a role in the group, or with `visible` only that the caller can see it. */
export const groupRoute = routes.ofRole;

/** Returns a group route for administrators. */
export const administratorGroupRoute = routes.ofAdministrators;
