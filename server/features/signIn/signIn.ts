// Signing in on pages: sessions of browsers, passwords, one-time links.

export { scheduleSignInCleanUp } from './cleanUp.ts';
export { entryContent, maySetUp } from './contents.ts';
export { checkCurrentPassword, currentPasswordField, type ValidationErrors, validationStatus } from './currentPassword.ts';
export { mintSetUpLink, mintSignInLink, SET_UP_PAGE } from './links.ts';
export { signInPages } from './pages.ts';
export { recordFailedSignIn, tryPassword } from './passwordAttempts.ts';
export { endSessionsOf, openSession } from './session.ts';
