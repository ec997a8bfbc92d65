import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { groupRoutes } from './routes.ts';
import { groupPages } from './pages.ts';

export {
  findGroup,
  findMovedGroup,
  findMovedNamespace,
  findNamespace,
  type FoundGroup,
  isNamespaceSeen,
  mustFindNamespace,
} from './access.ts';
export { type GroupFields, groupsGraphql, type GroupsPart, type NamespaceFields } from './graphql.ts';
export { createGroup, deleteGroup, groupMembershipsOf, listSeenGroups, soloOwnedGroups } from './manageGroups.ts';
export { addGroupMember } from './members.ts';
export { accessOfNamespace, namespacesOf } from './namespaces.ts';
export { type GroupPageRequest, groupPageRoute } from './page.ts';
export { groupContent } from './pages.ts';
export { presentGroup } from './present.ts';
export { groupResponse } from './responses.ts';
export { groupRoute, openGroupRoute } from './route.ts';
export {
  countMembersBelow,
  type NamespaceRow,
  takeGroupIid,
  visibleGroupsSql,
  writeGroupReadOnly,
  writeGroupStorage,
} from './store.ts';

/** Groups, their members and their pages. */
export const groups: Feature<GitCore> = { routes: groupRoutes, pages: groupPages };
