import type { Feature } from '../../http/feature.ts';
import type { Core } from '../../core/core.ts';
import { type ProxySignIn, registryAuthRoutes } from './authRoutes.ts';
import { registryRoutes } from './routes.ts';

export { type ProxySignIn, registryRefusal } from './authRoutes.ts';
export { type ContainerRepository, createContainerRepository, writeContainerTag } from './containerRepositories.ts';
export { registryFailure, tokenChallenge, VERSION } from './failures.ts';
export { containerRepositoriesOf, registryGraphql } from './graphql.ts';
export { isDigest, isRepositoryName, isTagName } from './names.ts';
export { claimsOf, issueServiceToken, type Service } from './tokens.ts';

/** Container repositories, and the sign-in of container clients. `signInOf` returns the sign-in to the dependency proxy. */
export function registry<Needs extends Core>(signInOf: (core: Needs) => ProxySignIn): Feature<Needs> {
  return { routes: (core) => [...registryRoutes(), ...registryAuthRoutes(core, signInOf(core))] };
}
