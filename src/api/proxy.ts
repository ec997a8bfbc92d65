import net from 'node:net';
import { isLoopback } from './transport.ts';

/** The way to a host that is not reached directly. */
export interface Proxy {
  /** `http://…` or `https://…`; may hold a user name and a password, so it is for no log. */
  readonly url: string;
  /** Value of `Proxy-Authorization`, where it is not to be made from the URL. */
  readonly authorization?: string;
}

/** The editor's own settings of this name (`http.…`), unread. */
export interface ProxySettings {
  readonly proxy: unknown;
  readonly proxySupport: unknown;
  readonly noProxy: unknown;
  readonly proxyAuthorization: unknown;
}

/**
 * The proxy for a URL, in the order in which the editor asks: no proxy for this machine, where `http.noProxy` names the host, or where
 * extensions are to use none; then `http.proxy`; then the environment with its own exceptions. The proxy of the operating system is known
 * to the editor alone.
 */
export function proxyFor(
  url: string,
  { proxy, proxySupport, noProxy, proxyAuthorization }: ProxySettings,
  environment: Readonly<Record<string, string | undefined>>,
): Proxy | undefined {
  if (proxySupport === 'off' || isLoopback(url)) return undefined;
  const exceptions = Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [];
  if (isNamed(url, exceptions)) return undefined;
  const authorization =
    typeof proxyAuthorization === 'string' && proxyAuthorization !== '' ? { authorization: proxyAuthorization } : {};
  const set = readProxyUrl(proxy);
  if (set !== undefined) return { url: set, ...authorization };
  const variable = (name: string): string | undefined => environment[name] ?? environment[name.toLowerCase()];
  if (isNamed(url, (variable('NO_PROXY') ?? '').split(','))) return undefined;
  const ofHttps = new URL(url).protocol === 'https:' ? readProxyUrl(variable('HTTPS_PROXY')) : undefined;
  const given = ofHttps ?? readProxyUrl(variable('HTTP_PROXY'));
  return given === undefined ? undefined : { url: given, ...authorization };
}

function readProxyUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value.trim()) ? value.trim() : `http://${value.trim()}`;
  if (!URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

/** Whether a list of exceptions names the host: a name with everything below it, an address, a range of addresses, or `*`; each with or without a port. */
function isNamed(url: string, exceptions: readonly string[]): boolean {
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

/** Whether an address lies in a range such as `10.0.0.0/8`. */
function isInRange(host: string, range: string): boolean {
  const [base = '', prefix = ''] = range.split('/');
  const [version, ofHost] = [net.isIP(base), net.isIP(host)];
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 999;
  if (version === 0 || ofHost !== version || length > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new net.BlockList();
  list.addSubnet(base, length, family);
  return list.check(host, family);
}
