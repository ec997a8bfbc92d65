import { isoTime } from '../clock.ts';
import { isJsonObject } from '../../src/contract/json.ts';

/** One answered request, without any secret: credentials are named by kind only and left out of the query. */
export interface RequestLogEntry {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly user: string | null;
  /** The administrator who acted as the user; null when they acted themselves. */
  readonly sudo: string | null;
  /** Why the request was refused; null when it was not. */
  readonly refusal: { readonly rule: string; readonly reason: string } | null;
}

/** An entry as it is added: many are never read, so that `at` is milliseconds until then. */
export type NewRequestLogEntry = Omit<RequestLogEntry, 'at'> & { readonly at: number };

export interface RequestLog {
  add(entry: NewRequestLogEntry): void;
  /** Newest first. */
  list(limit: number): readonly RequestLogEntry[];
  clear(): void;
}

/** A ring of the latest requests, in memory. */
export function createRequestLog(size = 500): RequestLog {
  let entries: NewRequestLogEntry[] = [];
  return {
    add: (entry) => {
      entries.push(entry);
      if (entries.length >= size * 2) entries = entries.slice(-size);
    },
    list: (limit) =>
      entries
        .slice(-Math.min(limit, size))
        .reverse()
        .map((entry) => ({ ...entry, at: isoTime(entry.at) })),
    clear: () => {
      entries = [];
    },
  };
}

const secretParameters = new Set([
  'access_token',
  'bearer_token',
  'private_token',
  'job_token',
  'token',
  'client_secret',
  'client_assertion',
  'code',
  // The verifier itself where a client takes the method plain.
  'code_challenge',
  'code_verifier',
  'device_code',
  'user_code',
  'refresh_token',
  'password',
  'pin',
  'pwd',
  'passphrase',
  'assertion',
  'otp_attempt',
  'recovery_code',
]);

/** Names that end like those of secrets, but say where the next page of a list begins. */
const positionParameters = new Set(['page_token', 'next_page_token', 'continuation_token']);

/** Ends of names that hold a secret whatever stands before, as `new_password`, `client_secret`, `feed-token` or `apiKey`. */
const secretEnding =
  /(?:password|passwd|password_confirmation|secret|token|api_?key|private_?key|sentry_?key|authorization|cookie)$/i;

/** Whether a parameter holds a secret: by its own name, or by that of any member, as in `user[password]`. */
export function isSecretParameter(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return true;
  return name.split(/[[\].]+/).some((part) => {
    const member = part.toLowerCase().replaceAll('-', '_');
    return !positionParameters.has(member) && (secretParameters.has(member) || secretEnding.test(member));
  });
}

/** Parameters as they were read, nested ones too, without those that hold a secret. */
export function withoutSecretParameters(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => !isSecretParameter(name))
      .map(([name, value]) => [name, withoutSecretMembers(value)]),
  );
}

function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecretMembers(item));
  return isJsonObject(value) ? withoutSecretParameters(value) : value;
}

/** A longer name is none of ours, and its value is not worth keeping. */
const MAX_NAME_LENGTH = 1000;

/** Addresses within one another whose queries are read; what lies deeper is masked as a whole. */
const MAX_ADDRESSES = 5;

/**
 * A query string with the values of secret parameters replaced, also where one stands in an address that is a value, and of what looks
 * like one of our tokens under any name but `client_id`.
 */
export function maskQuery(query: string, depth = 0): string {
  if (query === '') return '';
  if (depth > MAX_ADDRESSES) return '[masked]';
  return query
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      const decoded = fullyDecoded(name);
      if (isSecretParameter(decoded)) return `${name}=[masked]`;
      return decoded === 'client_id' ? pair : maskValue(maskInner(pair, depth));
    })
    .join('&');
}

/** A pair without what has the form of a secret, also where it is percent-encoded, once or more. */
function maskValue(pair: string): string {
  const plain = fullyDecoded(pair);
  if (maskTokens(plain) === plain) return pair;
  const masked = maskTokens(pair);
  if (maskTokens(fullyDecoded(masked)) === fullyDecoded(masked)) return masked;
  return encodeURIComponent(maskTokens(plain)).replaceAll('%5Bmasked%5D', '[masked]').replace('%3D', '=');
}

/** Some clients send the address of their page as it was called, with what it was called with. */
function maskInner(pair: string, depth: number): string {
  return pair.replace(/(%3F|[?])(.+)$/i, (_, mark: string, inner: string) => {
    const plain = safelyDecoded(inner);
    const masked = maskQuery(plain, depth + 1);
    return masked === plain ? `${mark}${inner}` : `${mark}${encodeURIComponent(masked).replaceAll('%5Bmasked%5D', '[masked]')}`;
  });
}

/** What has the form of a secret: codes and secrets of applications, tokens of the platform, client keys of DSNs, JWTs, keys of others. */
const secretForms =
  /(?<![0-9a-z])(?:[0-9a-f]{64}|gl[a-z]{2,6}-[\w-]{16,}(?:\.[\w-]+)*|glet_[0-9a-f]{32}|gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*)(?![0-9a-z])/g;

/** A text without what has the form of a secret. */
export function maskTokens(text: string): string {
  return text.replaceAll(secretForms, '[masked]');
}

/** A line of the log without what has the form of a secret, and without values of secret parameters in addresses and forms. */
export function maskLine(line: string): string {
  let masked = '';
  let end = 0;
  for (const { 0: found, 1: name = '', index } of line.matchAll(/([\w%.[\]-]{1,200})=/g)) {
    if (index < end || !isSecretParameter(fullyDecoded(name))) continue;
    const start = index + found.length;
    const [value = ''] = /^[^\s&"'<>]*/.exec(line.slice(start)) ?? [];
    masked += `${line.slice(end, start)}[masked]`;
    end = start + value.length;
  }
  return maskTokens(masked + line.slice(end));
}

/** A path without what has the form of a secret, also where it is percent-encoded. */
export function maskPathTokens(path: string): string {
  const decoded = fullyDecoded(path);
  const masked = maskTokens(decoded);
  return masked === decoded ? path : masked;
}

/** Secrets are looked for behind this many percent-encodings. */
const MAX_ENCODINGS = 4;

function fullyDecoded(text: string): string {
  let decoded = text;
  for (let left = MAX_ENCODINGS; left > 0 && decoded.includes('%'); left -= 1) decoded = safelyDecoded(decoded);
  return decoded;
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
