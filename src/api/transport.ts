import * as l10n from '@vscode/l10n';
import { isLoopbackHost } from '../contract/hosts.ts';
import { hasBrand } from '../support/brand.ts';

/** One HTTP request, ready to send. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One HTTP response, read completely. May be a redirect. */
export interface WireResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends a request once, without following redirects. Rejects with a `TransportFailure` if there is no complete response, and with the
 * signal's reason if the signal is aborted.
 */
export type Send = (request: WireRequest, signal?: AbortSignal) => Promise<WireResponse>;

/** Maximum length of a response body, in characters. Pages of the API are far smaller. */
export const RESPONSE_LIMIT = 16 * 1024 * 1024;

const BRAND = Symbol.for('signalbox.TransportFailure');

/** Error: there is no complete response. */
export class TransportFailure extends Error {
  readonly [BRAND] = true;
  /** `unreachable`: nothing was sent. `interrupted` and `timedOut`: the server may have processed the request. */
  readonly kind: 'unreachable' | 'interrupted' | 'timedOut' | 'tooLarge';

  constructor(kind: TransportFailure['kind'], text: string, cause?: unknown) {
    super(text, { cause });
    this.name = 'TransportFailure';
    this.kind = kind;
  }

  /** Recognizes the failures of other bundles, too. */
  static override [Symbol.hasInstance](value: unknown): value is TransportFailure {
    return hasBrand(value, BRAND);
  }
}

export interface TransportSettings {
  readonly userAgent: string;
  /** Time limit of a request in milliseconds, including the response body. */
  readonly timeout: number;
  /** Loads the sender for loopback addresses. Called once, on first use. */
  readonly loadLoopback: () => Promise<Send>;
  /** Returns the sender for an instance with its own certificate authority; undefined for other instances. */
  readonly sendTrusting?: (url: string) => Promise<Send> | undefined;
  /** Sender for every other instance. */
  readonly sendByHost: Send;
}

/**
 * Creates the transport of the extension. Remote instances are reached by the extension host's fetch, which VS Code configures with the
 * proxy and the certificates of the system. Loopback addresses are reached by a separate agent, because they must never use a proxy.
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

/** Returns true if the URL names this machine. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
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

/** Error codes of a connection that was established and then lost. */
const interruptions: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** The message of such a failure is not translated if it comes from undici.js, which has no translations. */
function isTooLarge(error: unknown): boolean {
  return error instanceof TransportFailure && error.kind === 'tooLarge';
}

/** Finds the code of a network error: fetch wraps it in `cause`, and Node wraps several attempts in an AggregateError. */
function networkError(host: string, error: unknown): { readonly kind: 'unreachable' | 'interrupted'; readonly text: string } {
  for (let level: unknown = error, depth = 0; level instanceof Error && depth < 5; depth += 1) {
    const code = 'code' in level && typeof level.code === 'string' ? level.code : '';
    if (interruptions.has(code)) return { kind: 'interrupted', text: networkErrors[code]?.(host) ?? unknownReason(host, level) };
    const text = networkErrors[code]?.(host);
    if (text !== undefined) return { kind: 'unreachable', text };
    level = level instanceof AggregateError && level.cause === undefined ? level.errors[0] : level.cause;
  }
  // The kind is unknown, so the server is assumed to have received the request.
  return { kind: 'interrupted', text: unknownReason(host, error) };
}

function unknownReason(host: string, error: unknown): string {
  return l10n.t('{0} cannot be reached: {1}', host, error instanceof Error ? error.message : String(error));
}
