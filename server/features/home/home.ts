import type { Feature } from '../../http/feature.ts';
import { homePages } from './pages.ts';

/** The start page, and lists of projects and groups. */
export const home: Feature = { pages: homePages };
