import path from 'node:path';
import { runInBothDialects } from '../../support/clientStory.ts';
import { clientTest, pythonWith } from '../../support/clientSuite.ts';

const here = import.meta.dirname;
const scope = 'openid profile email read_user';
/** The exception that Authlib's session raises for an OAuth error. */
const oauthError = (code: string): readonly string[] => ['OAuthError', code];

clientTest(
  'Authlib signs in with PKCE and with a secret, reads ID tokens, refreshes, revokes and introspects tokens, and raises the error responses, in both dialects',
  () => pythonWith(path.join(here, 'requirements.txt')),
  (python) =>
    runInBothDialects({ command: python, args: [path.join(here, 'authlib_story.py')] }, (dialect) => {
      const token_type = { documented: 'bearer', observed: 'Bearer' }[dialect];
      return {
        issuer: true,
        callback: ['code', 'iss', 'state'],
        iss: true,
        token: { token_type, expires_in: 7200, scope },
        // Authlib computes expires_at from its own clock.
        members: ['access_token', 'created_at', 'expires_at', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'],
        id_token: { sub: '1', name: 'Administrator', preferred_username: 'root', alg: 'RS256' },
        userinfo: {
          sub: '1',
          name: 'Administrator',
          preferred_username: 'root',
          email: 'root@signalbox.example',
          email_verified: true,
          groups: [],
        },
        user: 'root',
        refreshed: { status: 200, spent: true, replaced: true, token_type, scope, 'status again': 200, refreshes: 1 },
        'status afterwards': 200,
        revoked: [200, {}, 401],
        replayed: 401,
        denied: ['access_denied', true, true, ['error', 'error_description', 'iss', 'state']],
        'no challenge': ['invalid_request', true],
        secret: { token_type, expires_in: 7200, scope },
        introspected: { active: true, own: true, scope, token_type: 'Bearer', lifetime: 7200 },
        'introspected unknown': { active: false },
        posted: 200,
        'posted and refreshed': 200,
        'revoked by refresh token': [200, 401],
        'introspected revoked': { active: false },
        'revoked by another client': [403, 'unauthorized_client', 200],
        'client credentials': { token_type: 'Bearer', expires_in: 7200, scope: 'read_user' },
        'user of client credentials': 401,
        refusals: {
          state: ['MismatchingStateException', 'mismatching_state'],
          signature: ['BadSignatureError', 'bad_signature'],
          nonce: ['InvalidClaimError', 'invalid_claim'],
          audience: ['InvalidClaimError', 'invalid_claim'],
          spent: oauthError('invalid_grant'),
          wider: oauthError('invalid_scope'),
          revoked: oauthError('invalid_grant'),
          verifier: oauthError('invalid_grant'),
          guess: oauthError('invalid_grant'),
          replay: oauthError('invalid_grant'),
          secret: oauthError('invalid_client'),
          'unknown client': oauthError('invalid_client'),
          'public client': oauthError('unauthorized_client'),
          scope: oauthError('invalid_scope'),
          'grant type': oauthError('unsupported_grant_type'),
          code: oauthError('invalid_grant'),
        },
      };
    }),
);
