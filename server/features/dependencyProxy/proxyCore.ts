import type { Core } from '../../core/core.ts';
import type { OwnAddresses } from '../../http/hostGuard.ts';
import type { BlobFiles } from './blobFiles.ts';

/** The core with what the dependency proxy needs. */
export interface ProxyCore extends Core {
  /** Files of cached blobs. */
  readonly blobFiles: BlobFiles;
  /** Address of the registry from which images are pulled. Undefined if there is none. */
  readonly dependencyProxyUpstream: string | undefined;
  /** Addresses of the server, from which no images are pulled. */
  readonly origin: OwnAddresses;
}
