/** Address and key with which an SDK reports errors: `{scheme}://{public key}@{host}{path}/{project}` (docs/interface.md#client-keys). */
export interface Dsn {
  readonly publicKey: string;
  /** Scheme, host and, if it is not the default, port. */
  readonly origin: string;
  /** Path before the project ID, without a trailing slash; may be empty. */
  readonly path: string;
  readonly projectId: number;
}

/** Path below the address of the instance (docs/interface.md#client-keys). */
export const COLLECTOR_PATH = '/api/v4/error_tracking/collector';

let latest = { baseUrl: '', scheme: '', address: '' };

/** Returns the DSN of a client key. `baseUrl` is the address of the instance, including its path. It is parsed once for all keys of a list. */
export function makeDsn(baseUrl: string, publicKey: string, projectId: number): string {
  if (latest.baseUrl !== baseUrl) {
    const { protocol, host, pathname } = new URL(baseUrl);
    latest = { baseUrl, scheme: protocol, address: `${host}${pathname.replace(/\/+$/, '')}` };
  }
  return `${latest.scheme}//${publicKey}@${latest.address}${COLLECTOR_PATH}/${projectId}`;
}

/** Reads a DSN of any compatible server. Ignores a password and trailing slashes, which some SDKs do not accept. */
export function readDsn(text: string): Dsn | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, origin, pathname, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') return undefined;
  // SDKs accept no other characters in a key.
  if (!/^\w+$/.test(username)) return undefined;
  const parts = /^(.*)\/(\d+)\/*$/.exec(pathname);
  if (parts === null) return undefined;
  const [, path = '', digits = ''] = parts;
  const projectId = Number(digits);
  return Number.isSafeInteger(projectId) && projectId > 0 ? { publicKey: username, origin, path, projectId } : undefined;
}
