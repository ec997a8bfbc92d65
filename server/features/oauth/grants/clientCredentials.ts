import type { Core } from '../../../core/core.ts';
import { authenticateClient } from '../checks/client.ts';
import { checkScope } from '../checks/scope.ts';
import { unauthorizedClient } from '../failures.ts';
import { traceOf } from '../flowTrace.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant } from './grant.ts';

export const CLIENT_CREDENTIALS_GRANT = 'client_credentials';

/** Grant of a token for the application itself, which has no access to data of users (RFC 6749 §4.4). */
export function clientCredentialsGrant(core: Core): Grant {
  return {
    types: [CLIENT_CREDENTIALS_GRANT],
    response: ({ context, params, now }) => {
      const application = authenticateClient(core, context, params);
      const trace = traceOf(context);
      trace.check('the application is confidential');
      if (application.confidential === 0) {
        throw unauthorizedClient(
          'client.confidential',
          'a public application cannot use this grant, because it has no secret; use another grant',
        );
      }
      const scopes = checkScope(trace, params.get('scope'), application.scopes.split(' '));
      const input = { applicationId: application.id, userId: null, scopes, grantType: CLIENT_CREDENTIALS_GRANT };
      return { response: issueTokens(core, input, 'Bearer', now) };
    },
  };
}
