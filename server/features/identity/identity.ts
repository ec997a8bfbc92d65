import type { Feature } from '../../http/feature.ts';
import { accountPages } from './accountPages.ts';
import { identityRoutes } from './routes.ts';
import { scheduleSignInCleanUp, signInPages } from '../signIn/signIn.ts';
import { tokenPages } from '../personalTokens/personalTokens.ts';
import { twoFactorPages } from './twoFactorPages.ts';

/** Accounts, their credentials and tokens, and the pages to sign in and change them. */
export const identity: Feature = {
  routes: identityRoutes,
  pages: (core) => [...signInPages(core), ...accountPages(core), ...tokenPages(core), ...twoFactorPages(core)],
  start: scheduleSignInCleanUp,
};
