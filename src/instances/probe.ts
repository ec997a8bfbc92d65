import * as l10n from '@vscode/l10n';
import { failureOfError } from '../api/failures.ts';
import type { Send, WireRequest, WireResponse } from '../api/transport.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';

/** What answers at an address. */
export type Probe =
  /** `isSignalbox`: a Signalbox server, which has the built-in application of this extension. */
  | { readonly kind: 'platform'; readonly isSignalbox: boolean }
  /** The API has moved to another address. */
  | { readonly kind: 'moved'; readonly url: string }
  /** Something else, or nothing. `text` is the reason, for the user. */
  | { readonly kind: 'doubtful'; readonly text: string };

const VERSION_PATH = '/api/v4/version';

/** Maximum waiting time in milliseconds. */
const LIMIT = 10_000;

/**
 * Determines without credentials what answers at an address. It is tolerant: every response that the API can give to strangers counts, such
 * as a refusal or a rate limit.
 */
export async function probeInstance(url: string, send: Send): Promise<Probe> {
  const [version, health] = await Promise.all([ask(`${url}${VERSION_PATH}`, send), ask(`${url}/_local/health`, send)]);
  if (typeof version === 'string') return { kind: 'doubtful', text: version };
  const moved = movedTo(url, version);
  if (moved !== undefined) return { kind: 'moved', url: moved };
  const { host } = new URL(url);
  if (!isOfApi(version))
    return {
      kind: 'doubtful',
      text: l10n.t('{0} responded, but not as a GitLab-compatible instance does (status {1})', host, version.status),
    };
  return { kind: 'platform', isSignalbox: typeof health !== 'string' && isHealth(health) };
}

/** Returns the response to a GET request without credentials, or why there is none. */
async function ask(url: string, send: Send): Promise<WireResponse | string> {
  const request: WireRequest = { method: 'GET', url, headers: { accept: 'application/json' } };
  const signal = AbortSignal.timeout(LIMIT);
  try {
    return await send(request, signal);
  } catch (error) {
    if (signal.aborted) return l10n.t('{0} did not respond within {1} seconds', new URL(url).host, LIMIT / 1000);
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    return failure.message;
  }
}

/** Returns the address to which an instance redirects its API, or undefined. */
function movedTo(url: string, { status, headers }: WireResponse): string | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, url)) return undefined;
  const { origin, pathname } = new URL(location, url);
  const target = pathname.endsWith(VERSION_PATH) ? `${origin}${pathname.slice(0, -VERSION_PATH.length)}` : undefined;
  return target === url ? undefined : target;
}

/** Returns true for the version, and for each way in which the API refuses strangers, whose body is a JSON object with a message. */
function isOfApi({ status, body }: WireResponse): boolean {
  const value = parseJson(body);
  if (!isJsonObject(value)) return false;
  if (status === 200) return stringMember(value, 'version') !== undefined;
  return [401, 403, 429, 503].includes(status) && (value.message !== undefined || value.error !== undefined);
}

/** Returns true for the health of a Signalbox server. */
function isHealth({ status, body }: WireResponse): boolean {
  const value = parseJson(body);
  return status === 200 && isJsonObject(value) && stringMember(value, 'instance_id') !== undefined;
}
