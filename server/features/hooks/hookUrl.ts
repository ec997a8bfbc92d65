import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { maskPathTokens, maskQuery } from '../../core/masking.ts';
import { isLoopbackAddress, isOwnUrl, type OwnAddresses } from '../../http/hostGuard.ts';

// Addresses of receivers. Deliveries stay on this machine (docs/interface.md#hooks).

const variableName = /\{([a-z][a-z0-9]*(?:[._-]?[a-z0-9]+)*)\}/gi;

/** Returns the URL of a template such as `http://localhost/{key}`. Variables without a value are kept as they are. */
export function filledIn(template: string, variables: Readonly<Record<string, string>>): string {
  const values = new Map(Object.entries(variables));
  return template.replaceAll(variableName, (whole, name: string) => values.get(name) ?? whole);
}

/** Returns the names of the variables of a template that have no value. */
export function missingVariables(template: string, variables: Readonly<Record<string, string>>): string[] {
  const names = [...template.matchAll(variableName)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !Object.hasOwn(variables, name));
}

/** Returns why the server does not deliver to a URL, or undefined if it does. */
export function urlRefusal(text: string, own: OwnAddresses): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be a valid http or https URL';
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && !(isIP(name) !== 0 && isLoopback(name))) {
    return 'is blocked: the local server delivers to this machine only (127.0.0.0/8, ::1 or localhost)';
  }
  return isOwnUrl(url, own) ? 'is blocked: it is the address of the server itself' : undefined;
}

/** Returns true if an IP address is a loopback address. URLs write IPv4-mapped addresses in hexadecimal digits. */
function isLoopback(address: string): boolean {
  return isLoopbackAddress(address) || /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(address);
}

/** Returns a URL as a delivery stores it: without the user name and password in it, and with masked secrets in its query. */
export function withoutCredentials(text: string): string {
  const [address = '', ...query] = text.replace(/^(https?:\/\/)[^/?#]*@/i, '$1*****:*****@').split('?');
  return [maskPathTokens(address), ...(query.length === 0 ? [] : [maskQuery(query.join('?'))])].join('?');
}

type Resolve = (
  name: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;
type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Returns a function for `http.request` that resolves a name, and fails if one of its addresses is not on this machine. */
export function loopbackLookup(resolve: Resolve = lookup): (name: string, options: LookupOptions, callback: Found) => void {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`${name} has no address`), []);
      } else if (!addresses.every(({ address }) => isLoopback(address))) {
        callback(new Error(`${name} is not on this machine`), []);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
