import * as l10n from '@vscode/l10n';
/** One HTTP request, ready to send. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One HTTP answer, read to its end. Redirects are answers too. */
export interface WireResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends one request once, without following redirects. Rejects with a `TransportFailure` when no whole answer came, and with the
 * signal's reason when the caller gave up.
 */
export type Send = (request: WireRequest, signal?: AbortSignal) => Promise<WireResponse>;

/** Largest answer that is read, in bytes of text; no page of the API comes near it. */
export const RESPONSE_LIMIT = 16 * 1024 * 1024;

/** Why no answer came. */
export class TransportFailure extends Error {
  /** `unreachable`: nothing was sent. `interrupted` and `timedOut`: the server may have acted on the request. */
  readonly kind: 'unreachable' | 'interrupted' | 'timedOut' | 'tooLarge';

  constructor(kind: TransportFailure['kind'], text: string, cause?: unknown) {
    super(text, { cause });
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
      const host = new URL(request.url).host;
      if (isTooLarge(error)) {
        throw new TransportFailure('tooLarge', l10n.t('{0}: the response is too large', host), error);
      }
      if (error instanceof TransportFailure) throw error;
      if (limit.aborted) {
        const text = l10n.t('{0} did not respond within {1} s', host, Math.round(settings.timeout / 1000));
        throw new TransportFailure('timedOut', text, error);
      }
      const { kind, text } = networkError(host, error);
      throw new TransportFailure(kind, text, error);
    }
  };
}

/** Whether the URL names this machine by a loopback address or by `localhost` (RFC 6761 §6.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname) || hostname === 'localhost' || hostname.endsWith('.localhost');
}

const networkErrors: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => l10n.t('{0} cannot be reached: the connection was refused', host),
  ECONNRESET: connectionCut,
  EHOSTUNREACH: (host) => l10n.t('{0} cannot be reached: there is no route to the host', host),
  ENETUNREACH: (host) => l10n.t('{0} cannot be reached: there is no network connection', host),
  ENOTFOUND: (host) => l10n.t('{0} cannot be reached: the host name is unknown', host),
  EAI_AGAIN: (host) => l10n.t('{0} cannot be reached: the host name could not be resolved', host),
  ETIMEDOUT: connectionTimedOut,
  CERT_HAS_EXPIRED: (host) => l10n.t('{0} cannot be reached: its certificate has expired', host),
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => l10n.t('{0} cannot be reached: its certificate is self-signed', host),
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    l10n.t('{0} cannot be reached: its certificate chain contains a self-signed certificate', host),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) => l10n.t('{0} cannot be reached: its certificate cannot be verified', host),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) => l10n.t('{0} cannot be reached: the issuer of its certificate is unknown', host),
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => l10n.t('{0} cannot be reached: its certificate is for another host name', host),
  UND_ERR_SOCKET: connectionCut,
  UND_ERR_CONNECT_TIMEOUT: connectionTimedOut,
};

function connectionCut(host: string): string {
  return l10n.t('{0} cannot be reached: the connection was lost', host);
}

function connectionTimedOut(host: string): string {
  return l10n.t('{0} cannot be reached: the connection timed out', host);
}

/** Codes of a connection that stood and then broke. */
const interruptions: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** undici.js is a bundle of its own: its failures are of another class, and its words are not translated. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.name === 'TransportFailure' && 'kind' in error && error.kind === 'tooLarge';
}

/** fetch hides the reason in `cause`, and Node hides several attempts in one AggregateError. */
function networkError(host: string, error: unknown): { readonly kind: 'unreachable' | 'interrupted'; readonly text: string } {
  for (let level: unknown = error, depth = 0; level instanceof Error && depth < 5; depth += 1) {
    const code = 'code' in level && typeof level.code === 'string' ? level.code : '';
    if (interruptions.has(code)) return { kind: 'interrupted', text: networkErrors[code]?.(host) ?? because(host, level) };
    const text = networkErrors[code]?.(host);
    if (text !== undefined) return { kind: 'unreachable', text };
    level = level instanceof AggregateError && level.cause === undefined ? level.errors[0] : level.cause;
  }
  // Not known which it is, so the more careful of the two.
  return { kind: 'interrupted', text: because(host, error) };
}

function because(host: string, error: unknown): string {
  return l10n.t('{0} cannot be reached: {1}', host, error instanceof Error ? error.message : String(error));
}
