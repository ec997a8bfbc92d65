import net from 'node:net';
import { isLoopback } from './transport.ts';

/** Proxy through which a host is reached. */
export interface Proxy {
  /** `http://…` or `https://…`. May contain a user name and a password, so it must not be logged. */
  readonly url: string;
  /** Value of `Proxy-Authorization`, if it differs from the credentials in the URL. */
  readonly authorization?: string;
}

/** VS Code's settings `http.…`, not validated. */
export interface ProxySettings {
  readonly proxy: unknown;
  readonly proxySupport: unknown;
  readonly noProxy: unknown;
  readonly proxyAuthorization: unknown;
}

/**
 * Returns the proxy for a URL, or undefined if there is none, with the precedence that VS Code uses. There is no proxy for this machine,
 * for hosts in `http.noProxy`, and if `http.proxySupport` is `off`. Otherwise `http.proxy` comes first, then the environment with its own
 * exceptions. The proxy of the operating system is not available to extensions.
 */
export function proxyFor(
  url: string,
  { proxy, proxySupport, noProxy, proxyAuthorization }: ProxySettings,
  environment: Readonly<Record<string, string | undefined>>,
): Proxy | undefined {
  if (proxySupport === 'off' || isLoopback(url)) return undefined;
  const exceptions = Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [];
  if (isException(url, exceptions)) return undefined;
  const authorization =
    typeof proxyAuthorization === 'string' && proxyAuthorization !== '' ? { authorization: proxyAuthorization } : {};
  const configured = readProxyUrl(proxy);
  if (configured !== undefined) return { url: configured, ...authorization };
  const variable = (name: string): string | undefined => environment[name] ?? environment[name.toLowerCase()];
  if (isException(url, (variable('NO_PROXY') ?? '').split(','))) return undefined;
  const httpsProxy = new URL(url).protocol === 'https:' ? readProxyUrl(variable('HTTPS_PROXY')) : undefined;
  const inherited = httpsProxy ?? readProxyUrl(variable('HTTP_PROXY'));
  return inherited === undefined ? undefined : { url: inherited, ...authorization };
}

function readProxyUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value.trim()) ? value.trim() : `http://${value.trim()}`;
  if (!URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

/** Returns true if an exception covers the host: a domain with its subdomains, an address, a range of addresses, or `*`, with or without a port. */
function isException(url: string, exceptions: readonly string[]): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return exceptions.some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === '*') return true;
    if (text.includes('/')) return isInRange(host, text);
    if (net.isIP(text) !== 0) return text === host;
    const [, name = '', wantedPort] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(text) ?? [];
    const domain = name.replace(/^\*?\./, '');
    if (domain === '' || (wantedPort !== undefined && wantedPort !== ownPort)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/** Returns true if the address is in a range such as `10.0.0.0/8`. */
function isInRange(host: string, range: string): boolean {
  const [base = '', prefix = ''] = range.split('/');
  const [version, hostVersion] = [net.isIP(base), net.isIP(host)];
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 999;
  if (version === 0 || hostVersion !== version || length > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new net.BlockList();
  list.addSubnet(base, length, family);
  return list.check(host, family);
}
