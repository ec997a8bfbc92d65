// Security advice of RFCs and of OpenID Connect that the provider follows, with the tests that verify it. Titles are quoted up to the
// first `${` and a comma or "for" before it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Titles of tests by section. RFC 9700 §4.17 has none: no flow here posts messages between windows. Three of the tests verify a
 * documented exception from the advice: the password grant exists until release 19.0, `access_token` may be in the query, and refresh
 * tokens do not expire.
 */
const advice: Readonly<Record<string, readonly string[]>> = {
  'RFC 9700 §2.1, §4.1.3; RFC 8252 §7.3': ['the authorization endpoint compares the redirect URI with the registered ones'],
  'RFC 6749 §4.1.2.1; RFC 9700 §4.11.2': [
    'errors before client and redirect URI are verified are shown on a page, without a redirect',
  ],
  'RFC 6749 §4.1.2.1': ['other authorization errors are returned to the client with state and iss, signed in or not'],
  'RFC 9700 §4.1': [
    'the authorization endpoint never redirects to a scheme that runs code or to a fragment, even if it was registered',
  ],
  'RFC 6749 §3.1.2; RFC 9700 §4.1.3': [
    'the authorization endpoint never redirects to a scheme that runs code or to a fragment, even if it was registered',
  ],
  'RFC 9700 §2.1.1': ['a public client must use PKCE with S256, and a confidential one may'],
  'RFC 9700 §2.1.1; RFC 7636 §7.2': ['a public client must use PKCE with S256, and a confidential one may'],
  'RFC 7636 §4.6': ['a code with a challenge needs its verifier'],
  'RFC 9700 §2.1.1, §4.8.2': ['a verifier is refused for a code without a challenge'],
  'RFC 7636 §4.1–4.2': ['a malformed or wrong verifier is refused and uses up the code'],
  'RFC 7636 §7; RFC 9700 §4.5': ['a malformed or wrong verifier is refused and uses up the code'],
  'RFC 6749 §4.1.2': [
    'a code works once, and its second use revokes the tokens and everything refreshed from them',
    'the authorization endpoint returns the state unchanged',
  ],
  'RFC 6749 §4.1.2, §10.5; RFC 9700 §4.5': [
    'a code works once, and its second use revokes the tokens and everything refreshed from them',
    'a code that another client replays does not revoke its tokens',
  ],
  'RFC 6749 §4.1.2–4.1.3': [
    'a code is bound to client and redirect URI, and a mismatch does not use it up',
    'a code expires ten minutes after the approval',
    'of fifty concurrent exchanges of a code one succeeds, and the others revoke its tokens',
  ],
  'RFC 9207; RFC 9700 §4.4.2.1': [
    'other authorization errors are returned to the client with state and iss, signed in or not',
    'approval redirects by 303 with code, state and iss',
  ],
  'RFC 9700 §2.1.2': ['the authorization endpoint returns only codes through the browser'],
  'RFC 9700 §2.4': [
    'the password grant returns the same error for a wrong password and for an unknown, blocked or passwordless user',
  ],
  'RFC 9700 §4.12': ['approval redirects by 303 with code, state and iss'],
  'RFC 9700 §4.16': [
    'the authorization page cannot be framed, sends no referrer, is not cached and loads nothing from other origins',
  ],
  'RFC 9700 §4.2.4, §4.3': [
    'the authorization page cannot be framed, sends no referrer, is not cached and loads nothing from other origins',
  ],
  'RFC 9700 §4.7; RFC 8628 §5.4': [
    'the device pages never approve without the form token of the same session',
    'approval needs the form token and is refused for pages of other sites',
  ],
  'RFC 9700 §2.6': [
    'pages of other sites cannot read the pages, the device endpoint or introspection, and get no preflight response there',
    'the authorization page cannot be read by pages of other sites',
  ],
  'RFC 9700 §4.3.2; RFC 6750 §2.3, §5.3': ['token info returns owner, scopes and lifetime of a token in the header or the query'],
  'RFC 6750 §2, §3.1': ['userinfo refuses a token that is sent in two ways'],
  'RFC 9700 §2.2.2, §4.14.2': ['a refresh returns a whole new pair'],
  'RFC 9700 §4.14.2': [
    'a spent refresh token that is used later revokes the whole token family',
    'a spent refresh token that another client sends does not revoke the token family',
    'a spent refresh token used again eleven seconds later revokes the token family',
    'a spent refresh token is tolerated for ten seconds, so that two windows may refresh at once',
    'exactly one of fifty concurrent refreshes succeeds, and its pair stays valid',
    'of fifty concurrent refreshes with one token one succeeds, and its pair stays valid',
    'a refresh token does not expire, and ends when the user revokes the access',
  ],
  'RFC 6749 §6, §10.4': [
    'a refresh token that is missing, unknown or of another client is refused and not used up',
    'a spent refresh token that another client sends does not revoke the token family',
  ],
  'RFC 6749 §6; RFC 9700 §4.14.2': ['a refresh narrows the access token on request and never widens the granted scopes'],
  'RFC 7009 §2.1': ['revoking the refresh token ends both tokens, for a public client'],
  'RFC 7009 §2.1–2.2': [
    'revocation finds the token whatever the hint',
    'revoking an unknown or missing token returns {}',
    'revoking the token of another client returns 403 and leaves it valid',
    'revoking with a wrong secret, without a secret or without a client returns 401 with a challenge and revokes nothing',
  ],
  'RFC 7662 §2.1–2.2, §4': [
    'introspection describes a token to its own application, however it authenticates',
    'introspection reports every other token as inactive and nothing more',
    'introspection requires client authentication',
  ],
  'RFC 6749 §5.2': ['client authentication with a wrong or missing secret returns 401 with a challenge in the same scheme'],
  'RFC 6749 §5.1': ['OAuth responses of success and failure have Cache-Control: no-store'],
  'RFC 6749 §2.3, §2.3.1': [
    'client authentication in two ways at once or with the secret in the URL is refused',
    'secret OAuth parameters in the URL are refused and not logged',
    'HTTP Basic and the body may not both contain the secret',
  ],
  'RFC 6749 §3.1–3.2': [
    'a client parameter that is sent twice or as a list is refused',
    'a client_id or redirect_uri that is sent twice or as a list is refused on a page',
    'other authorization parameters that are sent twice or as a list are refused with a redirect',
    'an OAuth parameter that is sent twice, in body, query or both, is refused',
    'an OAuth parameter that is an array or a hash is refused',
  ],
  'RFC 6749 §3.2': ['introspection accepts only POST', 'an endpoint with client authentication accepts only POST'],
  'RFC 6749 §2.3.1': [
    'client authentication by HTTP Basic is form-encoded, and its scheme is case-insensitive',
    'HTTP Basic credentials are form-decoded, and the scheme is case-insensitive',
  ],
  'RFC 9700 §4.15': ['a client credentials token accesses nothing of a user, whatever the ID of the application'],
  'RFC 9700 §2.3': [
    'client credentials tokens are limited to the scopes of the application',
    'the password grant is limited to the scopes of the application and narrowed by scope',
    'device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application',
  ],
  'RFC 9700 §2.6; RFC 8414; RFC 8628 §4': [
    'the metadata lists every endpoint under the requested address, identically on both paths',
  ],
  'RFC 8414 §3.3; RFC 9700 §4.13': [
    'the metadata lists every endpoint under the requested address, identically on both paths',
    'the configured public URL is in the metadata, the authorization response and the ID token',
  ],
  'RFC 9700 §2.5; RFC 6749 §10.10': [
    'no OAuth secret is in plain text in the database, the request log or the log',
    'no secret of two-factor authentication is in plain text in the data folder, the request log or the log',
  ],
  'RFC 9700 §4.2–4.3': [
    'no OAuth secret is in plain text in the database, the request log or the log',
    'no secret of two-factor authentication is in plain text in the data folder, the request log or the log',
  ],
  'RFC 6749 §10.10; RFC 8628 §5.1': ['the password grant counts wrong passwords by account, together with the sign-in page'],
  'RFC 9700 §4.11': ['a foreign return address in the sign-in detour is not followed'],
  'RFC 6749 §10.2; RFC 8252 §8.6; RFC 9700 §4.11': [
    'consent is skipped for a trusted confidential application and never for a public one',
  ],
  'OpenID Connect Core §3.1.2.6': ['prompt=none never shows a page'],
  'OpenID Connect Core §2, §3.1.3.7': ['the scope openid gives an ID token, signed with the published key'],
  'RFC 8628 §5.1': [
    'the device pages lock code entry after ten wrong codes for ten minutes, also for the right code',
    'the device pages lock an account whatever address its wrong codes come from',
    'grants, links, sessions and attempts are removed a day after their end by the server clock',
    'twenty device grants per client and address may be pending, and one more after one has expired',
  ],
  'RFC 8628 §5.2': ['device authorization returns a device code and a user code'],
  'RFC 8628 §6.1': [
    'user codes are eight unambiguous consonants',
    'user codes are the same in any case, with dashes, spaces and full-width letters',
    'the device pages accept the code in any case, with or without the dash',
    'the device pages show at the field if a code is wrong, used, expired or blank',
    'only one of many concurrent decisions about a device code counts',
  ],
  'RFC 8628 §3.5': [
    'a poll before the interval gets slow_down, which adds five seconds each time',
    'a client that waits for the reported interval is never locked out, however often it polled before',
    'every poll gets access_denied after a denial, and expired_token after expiry, for a whole day',
    'a spent device code gets invalid_grant, and its tokens stay valid',
    'exactly one of fifty concurrent polls gets the tokens of an approved device code',
  ],
  'RFC 8628 §3.2': ['device authorization returns a device code and a user code'],
  'RFC 8628 §3.3, §3.5': ['every poll gets access_denied after a denial, and expired_token after expiry, for a whole day'],
  'RFC 8628 §3.4': ['a device code is bound to its client, and another one does not use it up'],
  'RFC 8628 §3.3.1, §5.4': ['the device pages never approve by a GET or without a decision'],
  'RFC 8628 §5.4, §5.3': ['the device pages show application, account, scopes, code, age and address, with Approve and Deny'],
  'RFC 8628 §3.1, §5.6': [
    'device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application',
  ],
  'RFC 8628 §3.1': ['device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application'],
  'RFC 8628 §5.4–5.5': [
    'the device pages lead through sign-in if a user has a password, and keep the code out of every logged address',
    'the device pages never approve without the form token of the same session',
  ],
  'RFC 8628 §3.2, §3.3': ['device authorization returns the page under the configured public URL'],
};

describe('security advice for OAuth providers', () => {
  it('every section has the tests that it names', () => {
    const files = globSync('test/server/{oauth,identity,signIn,secondFactors,personalTokens,users}/*.test.ts', { cwd: root });
    const titles = files.flatMap((file) => [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:it|describe)\(\s*['"`]([^'"`]+)/g),
    ]);
    const known = new Set(titles.map(([, title = '']) => title.split('${')[0]?.replace(/,?(?: for)? $/, '')));
    for (const [section, wanted] of Object.entries(advice)) {
      for (const title of wanted) assert.ok(known.has(title), `${section}: no test "${title}"`);
    }
  });
});
