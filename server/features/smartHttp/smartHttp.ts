import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { smartHttpRoutes } from './routes.ts';

export { gitCaller, type GitCaller } from './credentials.ts';
export { gitHeaders, gitRefusal } from './refusals.ts';

/** Fetches and pushes of git over HTTP. */
export const smartHttp: Feature<GitCore> = { routes: smartHttpRoutes };
