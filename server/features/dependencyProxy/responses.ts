import * as z from 'zod';
import { named } from '../../http/responses.ts';

/** GitLab responds with the bare status. */
export const cachePurged = named('DependencyProxyCachePurged', () => z.literal(202));
