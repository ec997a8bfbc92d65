import { runInBothDialects } from '../../support/clientStory.ts';
import { clientTest, goProgram } from '../../support/clientSuite.ts';

const scope = 'openid profile email read_user';

export function testOauth2(): void {
  clientTest(
    'golang.org/x/oauth2 signs in by device grant, with PKCE and with a secret, obeys the polling interval, refreshes tokens, and reads the error responses, in both dialects',
    () => goProgram(import.meta.dirname),
    (command) =>
      runInBothDialects({ command, args: [] }, (dialect) => {
        const tokens = (token_type: string) => ({ token_type, type: 'Bearer', expires_in: 7200, scope, refresh: true });
        const codeTokenType = { documented: 'bearer', observed: 'Bearer' }[dialect];
        /** Status, code, presence of a description, presence of a challenge. */
        const refusal = (code: string) => [400, code, true, dialect === 'observed'];
        const unknownClient = [401, 'invalid_client', true, true];
        return {
          device: {
            page: true,
            complete: true,
            interval: 5,
            expires: 300,
            polls: ['authorization_pending', 'slow_down', '200'],
            token: tokens('Bearer'),
            user: 'root',
            confidential: tokens('Bearer'),
          },
          code: {
            token: tokens(codeTokenType),
            // A signed token has three parts.
            id_token: 2,
            'users after refresh': ['root', 'root'],
            refreshed: tokens(codeTokenType),
            replaced: true,
            refreshes: ['200'],
            'user afterwards': 'root',
            'error after replay': 'invalid_token',
          },
          secret: { header: tokens(codeTokenType), body: tokens(codeTokenType), replayed: 'invalid_token' },
          // This package of the library does not return the lifetime.
          'client credentials': {
            token: { token_type: 'Bearer', type: 'Bearer', expires_in: 0, scope: 'read_user', refresh: false },
            user: '401 Unauthorized',
          },
          refused: {
            denied: refusal('access_denied'),
            expired: refusal('expired_token'),
            'used device code': refusal('invalid_grant'),
            'device without secret': unknownClient,
            'device scope': refusal('invalid_scope'),
            verifier: refusal('invalid_grant'),
            guess: refusal('invalid_grant'),
            'no verifier': refusal('invalid_request'),
            spent: refusal('invalid_grant'),
            stolen: refusal('invalid_grant'),
            secret: unknownClient,
            replay: refusal('invalid_grant'),
            scope: refusal('invalid_scope'),
          },
        };
      }),
  );
}
