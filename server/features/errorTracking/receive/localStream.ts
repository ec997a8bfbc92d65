import type { RequestContext } from '../../../http/requestContext.ts';
import { isLoopbackHost, isLoopbackOrigin } from '../../../http/hostGuard.ts';
import type { Core } from '../../../core/core.ts';
import { settingNumber } from '../../settings/settings.ts';
import { isProject } from '../../projectAccess/projectAccess.ts';
import { IngestRefusal } from './ingestRefusal.ts';

/**
 * Address for SDKs with the option `spotlight`, which send a copy of every envelope, also without a DSN
 * (docs/interface.md#local-stream-of-errors).
 */
export const STREAM_PATH = '/stream';

/**
 * Returns the project that receives `/stream`. Undefined if none is selected or it no longer exists; the path is then unknown.
 */
export function streamProject(core: Core): number | undefined {
  const id = settingNumber(core, 'error_tracking_stream_project_id');
  return id !== 0 && isProject(core.store, id) ? id : undefined;
}

/**
 * Throws 403 for requests that do not come from this machine. There is no key, so this is the only check: the connection must use
 * loopback, the host must be a loopback name (against DNS rebinding), and a page in a browser must be served by this machine.
 * Browsers send the origin with every POST, so web sites are refused; programs send none. Requests forwarded by a proxy may come
 * from anywhere.
 */
export function demandLocal({ address, headers }: Pick<RequestContext, 'address' | 'headers'>): void {
  if (!/^(?:::ffff:)?127\.|^::1$/.test(address)) throw new IngestRefusal('not_local', 'the request comes from another machine');
  if (!isLoopbackHost(headers.host)) throw new IngestRefusal('not_local', 'the request names a host that is not this machine');
  if (headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined) {
    throw new IngestRefusal('not_local', 'the request was forwarded by a proxy');
  }
  const { origin } = headers;
  if (origin !== undefined && !isLoopbackOrigin(origin)) {
    throw new IngestRefusal('not_local', 'the request comes from a page that this machine has not served');
  }
  const site = headers['sec-fetch-site'];
  if (origin === undefined && site !== undefined && site !== 'same-origin') {
    throw new IngestRefusal('not_local', 'the request comes from a page that does not say who has served it');
  }
}
