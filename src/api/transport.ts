/** One HTTP request, ready to send. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One HTTP answer, read to its end. Redirects are answers too. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends one request once, without following redirects. Rejects with a `TransportFailure` when no whole answer came, and with the
 * signal's reason when the caller gave up.
 */
export type Send = (request: WireRequest, signal?: AbortSignal) => Promise<WireAnswer>;

/** Largest answer that is read, in bytes of text; no page of the API comes near it. */
export const ANSWER_LIMIT = 16 * 1024 * 1024;

/** Why no answer came. */
export class TransportFailure extends Error {
  /** `unreachable`: nothing was sent. `interrupted` and `timedOut`: the server may have acted on the request. */
  readonly kind: 'unreachable' | 'interrupted' | 'timedOut' | 'tooLarge';

  constructor(kind: TransportFailure['kind'], words: string, cause?: unknown) {
    super(words, { cause });
    this.name = 'TransportFailure';
    this.kind = kind;
  }
}

export interface TransportSettings {
  readonly userAgent: string;
  /** Milliseconds for one whole exchange. */
  readonly timeout: number;
  /** Loads the part that talks to this machine only; called once, on first use. */
  readonly loadLoopback: () => Promise<Send>;
  /** For a host that has a certificate authority of its own; undefined for one that has none. */
  readonly sendTrusting?: (url: string) => Promise<Send> | undefined;
  /** For every other host. */
  readonly sendByHost: Send;
}

/**
 * The transport of the extension: the host's own fetch for remote instances, because VS Code has given that the proxy and the
 * certificates of the system, and an agent of our own for loopback, which must never go through a proxy.
 */
export function createTransport(settings: TransportSettings): Send {
  let loopback: Promise<Send> | undefined;

  async function sendFor(url: string): Promise<Send> {
    const trusting = settings.sendTrusting?.(url);
    if (trusting !== undefined) return trusting;
    return isLoopback(url) ? (loopback ??= settings.loadLoopback()) : settings.sendByHost;
  }

  return async (request, signal) => {
    const limit = AbortSignal.timeout(settings.timeout);
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const headers = { 'user-agent': settings.userAgent, ...request.headers };
    try {
      const send = await sendFor(request.url);
      return await send({ ...request, headers }, either);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof TransportFailure) throw error;
      const host = new URL(request.url).host;
      if (limit.aborted) {
        throw new TransportFailure('timedOut', `${host} did not answer within ${Math.round(settings.timeout / 1000)} s`, error);
      }
      const { kind, words } = networkError(error);
      throw new TransportFailure(kind, `${host} cannot be reached: ${words}`, error);
    }
  };
}

/** Whether the URL names this machine by a loopback address or by `localhost` (RFC 6761 §6.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname) || hostname === 'localhost' || hostname.endsWith('.localhost');
}

const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at this address',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no network',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain holds a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

/** Codes of a connection that stood and then broke. */
const interruptions: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** fetch hides the reason in `cause`, and Node hides several attempts in one AggregateError. */
function networkError(error: unknown): { readonly kind: 'unreachable' | 'interrupted'; readonly words: string } {
  for (let level: unknown = error, depth = 0; level instanceof Error && depth < 5; depth += 1) {
    const code = 'code' in level && typeof level.code === 'string' ? level.code : '';
    if (interruptions.has(code)) return { kind: 'interrupted', words: networkErrors[code] ?? level.message };
    const words = networkErrors[code];
    if (words !== undefined) return { kind: 'unreachable', words };
    level = level instanceof AggregateError && level.cause === undefined ? level.errors[0] : level.cause;
  }
  // Not known which it is, so the more careful of the two.
  return { kind: 'interrupted', words: error instanceof Error ? error.message : String(error) };
}
