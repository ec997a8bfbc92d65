import type { RequestContext } from '../../http/requestContext.ts';
import { isLoopbackHost, isLoopbackOrigin } from '../../http/hostGuard.ts';
import type { Platform } from '../../platform.ts';
import { settingNumber } from '../../settings/settings.ts';
import { isProject } from '../ingestStats/ingestStatsStore.ts';
import { IngestRefusal } from '../wire/ingestRefusal.ts';

/** Where SDKs with the option `spotlight` send a copy of every envelope, also without a DSN (docs/interface.md#local-stream-of-errors). */
export const STREAM_PATH = '/stream';

/** The project to which `/stream` leads; undefined: nobody has chosen one that is there, and the path is none. */
export function streamProject(platform: Platform): number | undefined {
  const id = settingNumber(platform, 'error_tracking_stream_project_id');
  return id !== 0 && isProject(platform.store, id) ? id : undefined;
}

/**
 * Throws for whoever is not of this machine. There is no key, so that this is all there is: the connection comes over loopback, the request names
 * a loopback host, which a rebound name of a web site does not, and a browser says that the page was served by this machine. Browsers put the
 * origin of a page into every POST, so that no web site gets in; programs send none. What a proxy says it has forwarded came from anywhere.
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
