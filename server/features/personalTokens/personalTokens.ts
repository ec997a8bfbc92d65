// Personal access tokens, their endpoints and their page, and how scopes are shown and chosen.

export { tokenPages } from './pages.ts';
export { tokenRoutes } from './routes.ts';
export { chosenScopes, scopeBadges, scopeBoxes, scopeList } from './scopes.ts';
export { insertPersonalToken, markTokenUsed, personalTokenByHash, type PersonalTokenRow, revokePersonalTokens } from './store.ts';
export { endPersonalTokenFamily, isActivePersonalToken, isPersonalToken, issuePersonalToken, tokenErrors } from './tokens.ts';
