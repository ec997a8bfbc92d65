/** Where an SDK sends errors to, and in whose name: `{scheme}://{public key}@{host}{path}/{project}` (docs/interface.md#client-keys). */
export interface Dsn {
  readonly publicKey: string;
  /** Scheme, host and, where it is not the usual one, port. */
  readonly origin: string;
  /** In front of the number of the project, without a slash at its end; empty where there is none. */
  readonly path: string;
  readonly projectId: number;
}

/** Below the address of the instance (docs/interface.md#client-keys). */
export const COLLECTOR_PATH = '/api/v4/error_tracking/collector';

/** The DSN of a key of a project; `baseUrl` is the address of the instance, with its path where it has one. */
export function makeDsn(baseUrl: string, publicKey: string, projectId: number): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${publicKey}@${host}${pathname.replace(/\/+$/, '')}${COLLECTOR_PATH}/${projectId}`;
}

/** Reads a DSN of any server of this kind. A password is left aside, and so are slashes at the end, at which some SDKs give up. */
export function readDsn(text: string): Dsn | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, origin, pathname, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') return undefined;
  // SDKs take no other characters in a key.
  if (!/^\w+$/.test(username)) return undefined;
  const parts = /^(.*)\/(\d+)\/*$/.exec(pathname);
  if (parts === null) return undefined;
  const [, path = '', digits = ''] = parts;
  const projectId = Number(digits);
  return Number.isSafeInteger(projectId) && projectId > 0 ? { publicKey: username, origin, path, projectId } : undefined;
}
