import type { DeviceAuthorization } from '../../../src/contract/oauth.ts';
import { hashSecret } from '../../core/secrets.ts';
import type { Core } from '../../core/core.ts';
import { authenticateClient } from './checks/client.ts';
import { checkScope } from './checks/scope.ts';
import { beginDeviceGrant, DEVICE_CODE_LIFETIME, POLL_INTERVAL } from './deviceGrants.ts';
import { traceOf } from './flowTrace.ts';
import type { OAuthRequest } from './route.ts';
import { deviceGrantByDeviceCode } from './store.ts';
import { shownUserCode } from './userCode.ts';

/** Issues a device code and a user code (RFC 8628 §3.2). */
export function authorizeDevice(core: Core, { context, params, now }: OAuthRequest): DeviceAuthorization {
  const trace = traceOf(context);
  const application = authenticateClient(core, context, params);
  const scopes = checkScope(trace, params.get('scope'), application.scopes.split(' '));
  trace.check('the application has not reached its limit of pending device codes');
  const codes = beginDeviceGrant(core, { application, scopes, address: context.address, now });
  trace.issued = { device: deviceGrantByDeviceCode(core.store, hashSecret(codes.deviceCode)) };
  trace.record('A device code and a user code were issued.');
  const page = `${context.baseUrl}/oauth/device`;
  const userCode = shownUserCode(codes.userCode);
  return {
    device_code: codes.deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_CODE_LIFETIME,
    interval: POLL_INTERVAL,
  };
}
