import { COLLECTOR_PATH, type Dsn, readDsn } from '../contract/dsn.ts';
import { isSameOrigin } from '../contract/hosts.ts';

/** A DSN in a text. */
export interface FoundDsn {
  /** Offsets in the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** The DSN as an SDK reads it. */
  readonly text: string;
  /** True if its slashes are escaped, as in JSON. */
  readonly isEscaped: boolean;
  readonly dsn: Dsn;
}

/** Path of the DSNs that hosted instances hand out. */
const HOSTED_PATH = '/errortracking/api/v1/projects';

/** Maximum number of DSNs per text. */
const MAX_FOUND = 100;

/**
 * Something with the form of a DSN: scheme, key, an optional secret, host, path and number of a project. Slashes may be escaped. The
 * character before it must not belong to a longer word, and none after it to a longer path or name.
 */
const FORM =
  /(?<![\w.+-])https?:(?:\/\/|\\\/\\\/)\w{4,255}(?::\w{1,255})?@(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?\.?)(?::\d{1,5})?(?:(?:\/|\\\/)[\w.~-]{1,100}){0,20}?(?:\/|\\\/)\d{1,15}(?![\w%~@:${[(*?#=&+-]|<(?!\/)|\\?\/[\w%$<{[(*-]|\.\w)/gi;

/** Returns the DSNs of client keys in a text. DSNs of other services, and URLs that only look similar, are left out. */
export function findDsns(text: string): readonly FoundDsn[] {
  const found: FoundDsn[] = [];
  for (const { 0: sent, index } of text.matchAll(FORM)) {
    const isEscaped = sent.includes('\\/');
    const plain = isEscaped ? sent.replaceAll('\\/', '/') : sent;
    const dsn = readDsn(plain);
    if (dsn === undefined || !isOfPlatform(dsn)) continue;
    found.push({ start: index, end: index + sent.length, text: plain, isEscaped, dsn });
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

/** Returns true if the platform may have issued a DSN: its keys have a prefix, and its addresses a known path. */
function isOfPlatform({ publicKey, path }: Dsn): boolean {
  return /^glet_\w{4,}$/.test(publicKey) || path.endsWith(COLLECTOR_PATH) || path.endsWith(HOSTED_PATH);
}

/** Returns true if a text may contain a DSN. Much faster than looking for one. */
export function mayHoldDsn(text: string): boolean {
  return text.includes('glet_') || text.includes('error_tracking') || text.includes('errortracking');
}

/** Returns the text that replaces a found DSN by another one. */
export function replacementOf({ isEscaped }: Pick<FoundDsn, 'isEscaped'>, dsn: string): string {
  return isEscaped ? dsn.replaceAll('/', '\\/') : dsn;
}

/** Returns true if a DSN belongs to the instance at an address, whichever of its paths it has. */
export function isOfInstance({ origin, path }: Dsn, address: string): boolean {
  const root = new URL(address).pathname.replace(/\/+$/, '');
  return isSameOrigin(origin, address) && [COLLECTOR_PATH, HOSTED_PATH, ''].some((known) => path === `${root}${known}`);
}
