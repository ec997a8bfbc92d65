import { isIP } from 'node:net';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';

/** Stands for the address of the sender. */
const SENDER_ADDRESS = '{{auto}}';
/** Platforms whose former SDKs leave the address of the user to the server. */
const legacyPlatforms: ReadonlySet<unknown> = new Set(['javascript', 'cocoa', 'objc']);

/** IP address of the user of an event: that of the sender, a value of the payload, or none. */
export type UserAddress =
  | { readonly kind: 'sender' }
  | { readonly kind: 'sent'; readonly value: unknown }
  | { readonly kind: 'none' };

const none: UserAddress = { kind: 'none' };
const sender: UserAddress = { kind: 'sender' };

/**
 * Returns where the address of the user comes from: from the user, else from the request that the program was handling
 * (`env.REMOTE_ADDR`), else from the connection if the SDK leaves it to the server (`sdk.settings.infer_ip`, docs/interface.md#event-payloads).
 */
export function userAddressOf({ user, request, sdk, platform }: JsonObject): UserAddress {
  const policy = policyOf(sdk);
  const bySender = policy === 'never' ? none : sender;
  const own = isJsonObject(user) ? user['ip_address'] : undefined;
  if (own === SENDER_ADDRESS) return bySender;
  if (own !== undefined && own !== null && own !== '') return { kind: 'sent', value: own };
  const env = isJsonObject(request) ? request['env'] : undefined;
  const remote = isJsonObject(env) ? env['REMOTE_ADDR'] : undefined;
  if (remote === SENDER_ADDRESS) return bySender;
  if (typeof remote === 'string' && isIP(remote) !== 0) return { kind: 'sent', value: remote };
  return policy === 'auto' || (policy === 'legacy' && legacyPlatforms.has(platform)) ? sender : none;
}

/** SDKs that do not send the setting are older than it. */
function policyOf(sdk: unknown): 'auto' | 'never' | 'legacy' {
  const settings = isJsonObject(sdk) ? sdk['settings'] : undefined;
  const sent = isJsonObject(settings) ? settings['infer_ip'] : undefined;
  return sent === 'auto' || sent === 'never' ? sent : 'legacy';
}
