/** Stands for all names and addresses of this machine in comparisons. */
const THIS_MACHINE = 'localhost';

/**
 * Returns the form in which hosts are compared: lowercase, without a dot at the end, and `localhost` for every name and address of this
 * machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3). `host` has no port; IPv6 addresses are in brackets.
 */
export function comparableHost(host: string): string {
  const url = `http://${host}`;
  const parsed = /^[^/?#@\\\s]+$/.test(host) && URL.canParse(url) ? new URL(url).hostname : host.toLowerCase();
  const name = parsed.replace(/\.$/, '');
  return name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name) || MAPPED.test(name) ? THIS_MACHINE : name;
}

/** 127.0.0.0/8 as IPv6 addresses (RFC 4291 §2.5.5.2), in the form that URLs give them. */
const MAPPED = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

/** Returns true for `localhost` and the loopback addresses. `host` has no port; IPv6 addresses are in brackets. */
export function isThisMachine(host: string): boolean {
  return comparableHost(host) === THIS_MACHINE;
}

/** Returns true for hosts that lead to this machine, which are also the names below `localhost` (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = comparableHost(host);
  return name === THIS_MACHINE || name.endsWith(`.${THIS_MACHINE}`);
}

/** Returns true if two URLs have the same scheme, host and port. All names and addresses of this machine are one host. */
export function isSameOrigin(one: string, other: string): boolean {
  return comparableOrigin(new URL(one)) === comparableOrigin(new URL(other));
}

/** Returns the URL of an instance in the form in which instances are compared. */
export function comparableAddress(url: string): string {
  const parsed = new URL(url);
  return `${comparableOrigin(parsed)}${parsed.pathname.replace(/\/+$/, '')}`;
}

function comparableOrigin({ protocol, hostname, port }: URL): string {
  return `${protocol}//${comparableHost(hostname)}:${port}`;
}
