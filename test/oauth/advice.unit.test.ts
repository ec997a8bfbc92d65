// Security advice of RFCs and of OpenID Connect that the provider follows, each with the tests that show it. Titles stand as they do in
// the tests, up to the first `${`.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Sections → titles of tests. RFC 9700 §4.17 has none: no flow here posts messages between windows. Three of the tests show what holds
 * instead of the advice, because the documented interface wants it: the password grant exists until release 19.0, `access_token` may be in
 * the query, and refresh tokens do not expire.
 */
const advice: Readonly<Record<string, readonly string[]>> = {
  'RFC 9700 §2.1, §4.1.3; RFC 8252 §7.3': ['the authorization endpoint compares the redirect URI with the registered ones'],
  'RFC 6749 §4.1.2.1; RFC 9700 §4.11.2': [
    'errors before client and redirect URI are verified are shown on a page and redirect nowhere',
  ],
  'RFC 6749 §4.1.2.1': ['other authorization errors go to the client with state and iss, whether somebody is signed in or not'],
  'RFC 9700 §4.1': [
    'the authorization endpoint redirects to no scheme that runs code and to no fragment, even if it was registered',
  ],
  'RFC 6749 §3.1.2; RFC 9700 §4.1.3': [
    'the authorization endpoint redirects to no scheme that runs code and to no fragment, even if it was registered',
  ],
  'RFC 9700 §2.1.1': ['a public client must use PKCE with S256, and a confidential one may'],
  'RFC 9700 §2.1.1; RFC 7636 §7.2': ['a public client must use PKCE with S256, and a confidential one may'],
  'RFC 7636 §4.6': ['a code with a challenge needs its verifier'],
  'RFC 9700 §2.1.1, §4.8.2': ['a verifier is refused for a code without a challenge'],
  'RFC 7636 §4.1–4.2': ['a verifier of another form or value is refused and uses up the code'],
  'RFC 7636 §7; RFC 9700 §4.5': ['a verifier of another form or value is refused and uses up the code'],
  'RFC 6749 §4.1.2': [
    'a code works once, and its second use revokes its tokens and all that were made from them',
    'the authorization endpoint returns the state unchanged',
  ],
  'RFC 6749 §4.1.2, §10.5; RFC 9700 §4.5': [
    'a code works once, and its second use revokes its tokens and all that were made from them',
    'another client that has the code does not revoke its tokens',
  ],
  'RFC 6749 §4.1.2–4.1.3': [
    'a code is bound to client and redirect URI, and a mismatch does not use it up',
    'a code expires ten minutes after the approval',
    'of fifty exchanges of one code one wins, and the others revoke its tokens',
  ],
  'RFC 9207; RFC 9700 §4.4.2.1': [
    'other authorization errors go to the client with state and iss, whether somebody is signed in or not',
    'approval redirects by 303 with code, state and iss',
  ],
  'RFC 9700 §2.1.2': ['the authorization endpoint gives nothing but a code through the browser'],
  'RFC 9700 §2.4': ['the password grant refuses everything about the person with the same message'],
  'RFC 9700 §4.12': ['approval redirects by 303 with code, state and iss'],
  'RFC 9700 §4.16': [
    'the authorization page cannot be framed, sends no referrer, is not cached and loads nothing from elsewhere',
  ],
  'RFC 9700 §4.2.4, §4.3': [
    'the authorization page cannot be framed, sends no referrer, is not cached and loads nothing from elsewhere',
  ],
  'RFC 9700 §4.7; RFC 8628 §5.4': [
    'the device pages never approve without the form token of the same session',
    'approval needs the token of the form, and is refused to pages of other sites',
  ],
  'RFC 9700 §2.6': [
    'pages of other sites cannot read the pages, the device endpoint or introspection, and get no preflight response there',
    'the authorization page cannot be read by pages of other sites',
  ],
  'RFC 9700 §4.3.2; RFC 6750 §2.3, §5.3': [
    'token info tells the owner, scopes and lifetime of a token in the header or the query',
  ],
  'RFC 6750 §2, §3.1': ['userinfo refuses a token that is sent in two ways'],
  'RFC 9700 §2.2.2, §4.14.2': ['a refresh answers with a whole new pair'],
  'RFC 9700 §4.14.2': [
    'a spent refresh token that comes back later revokes the whole family',
    'a spent refresh token that another client sends does not revoke the family',
    'a spent refresh token that comes back eleven seconds later ends the family',
    'a spent refresh token is forgiven within ten seconds, so that two windows may refresh at once',
    'exactly one of fifty refreshes at once wins, and its pair stays valid',
    'of fifty refreshes with one token one wins, and its pair stays valid',
    'a refresh token does not expire, and ends when the person takes the access away',
  ],
  'RFC 6749 §6, §10.4': [
    'a refresh token that is missing, unknown or of another client is refused and not used up',
    'a spent refresh token that another client sends does not revoke the family',
  ],
  'RFC 6749 §6; RFC 9700 §4.14.2': ['a refresh narrows the access token on request and never widens what was granted'],
  'RFC 7009 §2.1': ['revoking the refresh token ends both tokens, for a public client that names itself'],
  'RFC 7009 §2.1–2.2': [
    'revocation finds the token whatever the hint says',
    'revoking an unknown token or none answers {}',
    'revoking the token of another client is 403 and leaves it valid',
    'revoking with a wrong secret, without a secret or without a client is 401 with a challenge and revokes nothing',
  ],
  'RFC 7662 §2.1–2.2, §4': [
    'introspection tells an application about its own token, however it authenticates',
    'introspection says no more than inactive about every other token',
    'introspection demands client authentication',
  ],
  'RFC 6749 §5.2': ['client authentication with a wrong or missing secret is 401 with a challenge in the scheme that was used'],
  'RFC 6749 §5.1': ['OAuth responses of success and failure have Cache-Control: no-store'],
  'RFC 6749 §2.3, §2.3.1': [
    'client authentication in two ways at once or by a secret in the address is refused',
    'secret OAuth parameters are refused in the address, and are not logged from there',
    'HTTP Basic and the body may not both carry the secret',
  ],
  'RFC 6749 §3.1–3.2': [
    'a client parameter that is sent twice or as a list is refused',
    'a client_id or redirect_uri that is sent twice or as a list is refused on a page',
    'the client is told of other authorization parameters that are sent twice or as a list',
    'an OAuth parameter that is sent twice, in body, query or both, is refused',
    'an OAuth parameter that is an array or a hash is refused',
  ],
  'RFC 6749 §3.2': ['introspection answers POST only', 'an endpoint with client authentication answers POST only'],
  'RFC 6749 §2.3.1': [
    'client authentication takes HTTP Basic form-encoded, with the scheme in any case',
    'HTTP Basic credentials are decoded as forms, with the scheme in any case',
  ],
  'RFC 9700 §4.15': ['a client credentials token opens nothing of a person, whatever id the application has'],
  'RFC 9700 §2.3': [
    'client credentials tokens are limited to the scopes of the application',
    'the password grant is limited to the scopes of the application, and narrowed by scope',
    'device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application',
  ],
  'RFC 9700 §2.6; RFC 8414; RFC 8628 §4': [
    'the metadata names every endpoint under the requested address, the same on both paths',
  ],
  'RFC 8414 §3.3; RFC 9700 §4.13': [
    'the metadata names every endpoint under the requested address, the same on both paths',
    'the configured public address is in the metadata, the authorization response and the ID token',
  ],
  'RFC 9700 §2.5; RFC 6749 §10.10': [
    'no OAuth secret is in clear in the database, the journal or the log',
    'secrets of two-factor authentication never appear in plain text in the data folder, the request log or the log',
  ],
  'RFC 9700 §4.2–4.3': [
    'no OAuth secret is in clear in the database, the journal or the log',
    'secrets of two-factor authentication never appear in plain text in the data folder, the request log or the log',
  ],
  'RFC 6749 §10.10; RFC 8628 §5.1': ['the password grant counts wrong passwords by account, together with the sign-in page'],
  'RFC 9700 §4.11': ['no address that was slipped into the sign-in detour is followed'],
  'RFC 6749 §10.2; RFC 8252 §8.6; RFC 9700 §4.11': [
    'people are not asked about a trusted confidential application, and always about a public one',
  ],
  'OpenID Connect Core §3.1.2.6': ['prompt=none is answered without a page'],
  'OpenID Connect Core §2, §3.1.3.7': ['the scope openid gives an ID token, signed with the published key'],
  'RFC 8628 §5.1': [
    'the device pages lock code entry after ten wrong codes for ten minutes, also for the right code',
    'the device pages lock an account whatever address its wrong codes came from',
    'grants, links, sessions and attempts are removed a day after their end by the clock of the server',
    'twenty device grants of a client may wait per address, and one more when one is expired',
  ],
  'RFC 8628 §5.2': ['device authorization answers with a code for the device and one for the person'],
  'RFC 8628 §6.1': [
    'user codes are eight consonants that look like nothing else',
    'user codes are the same in any case, with dashes, spaces and full-width letters',
    'the device pages take the code in any case, with or without the dash',
    'the device pages distinguish a wrong, a used, an expired and a blank code, at the field',
    'one of many decisions at once about a device code counts',
  ],
  'RFC 8628 §3.5': [
    'a poll before the interval gets slow_down, which adds five seconds each time',
    'a client that waits the interval it was told is never locked out, however it began',
    'every poll gets access_denied after a denial, and expired_token after expiry, for a whole day',
    'a spent device code gets invalid_grant, and its tokens stay valid',
    'exactly one of fifty polls at once gets the tokens of an approved device code',
  ],
  'RFC 8628 §3.2': ['device authorization answers with a code for the device and one for the person'],
  'RFC 8628 §3.3, §3.5': ['every poll gets access_denied after a denial, and expired_token after expiry, for a whole day'],
  'RFC 8628 §3.4': ['a device code is bound to its client, and another one does not use it up'],
  'RFC 8628 §3.3.1, §5.4': ['the device pages never approve by a GET or without a decision'],
  'RFC 8628 §5.4, §5.3': ['the device pages show application, account, scopes, code, age and address, with Approve and Deny'],
  'RFC 8628 §3.1, §5.6': [
    'device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application',
  ],
  'RFC 8628 §3.1': ['device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application'],
  'RFC 8628 §5.4–5.5': [
    'the device pages lead through sign-in if somebody has a password, and keep the code out of every address in the journal',
    'the device pages never approve without the form token of the same session',
  ],
  'RFC 8628 §3.2, §3.3': ['device authorization names the page under the configured public address'],
};

describe('security advice to OAuth providers', () => {
  it('has the tests that are named for each section', () => {
    const files = globSync('test/{oauth,identity}/*.test.ts', { cwd: root });
    const titles = files.flatMap((file) => [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:it|describe)\(\s*['"`]([^'"`]+)/g),
    ]);
    const known = new Set(titles.map(([, title = '']) => title.split('${')[0]?.replace(/, $/, '')));
    for (const [section, wanted] of Object.entries(advice)) {
      for (const title of wanted) assert.ok(known.has(title), `${section}: no test "${title}"`);
    }
  });
});
