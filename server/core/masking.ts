import { isJsonObject } from '../../src/contract/json.ts';

// Secrets in requests and texts, and how logs and records omit them.

const secretParameters = new Set([
  'access_token',
  'bearer_token',
  'private_token',
  'job_token',
  'token',
  'client_secret',
  'client_assertion',
  'code',
  // Equal to the verifier if the client uses the method plain.
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
  // Values of variables, which are often secrets.
  'value',
]);

/** Page positions, whose names end like those of secrets. */
const positionParameters = new Set(['page_token', 'next_page_token', 'continuation_token']);

/** Name endings of secrets, as in `new_password`, `client_secret`, `feed-token` or `apiKey`. */
const secretEnding =
  /(?:password|passwd|password_confirmation|secret|token|api_?key|private_?key|sentry_?key|authorization|cookie)$/i;

/** Returns true if a parameter is a secret by its own name or that of a member, as in `user[password]`. */
export function isSecretParameter(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return true;
  let isSecret = knownNames.get(name);
  if (isSecret === undefined) {
    isSecret = isSecretName(name);
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    knownNames.set(name, isSecret);
  }
  return isSecret;
}

/** Names of parameters and whether they are secrets. Every request asks for the same few names, several times. */
const knownNames = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 1000;

function isSecretName(name: string): boolean {
  return name.split(/[[\].]+/).some((part) => {
    const member = part.toLowerCase().replaceAll('-', '_');
    return !positionParameters.has(member) && (secretParameters.has(member) || secretEnding.test(member));
  });
}

/** Returns the parameters without secrets, including nested ones. */
export function withoutSecretParameters(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const others: (readonly [string, unknown])[] = [];
  for (const name of Object.keys(parameters)) {
    if (!isSecretParameter(name)) others.push([name, withoutSecretMembers(parameters[name])]);
  }
  return Object.fromEntries(others);
}

function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecretMembers(item));
  return isJsonObject(value) ? withoutSecretParameters(value) : value;
}

/** Maximum length of a parameter name. The value of a longer one is masked. */
const MAX_NAME_LENGTH = 1000;

/** Maximum nesting of URLs whose queries are masked by parameter. Deeper ones are masked completely. */
const MAX_ADDRESSES = 5;

/**
 * Returns a query string with masked secrets: values of secret parameters, also inside URLs that are values, and texts that look like
 * tokens under any name but `client_id`.
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

/** Masks texts in a pair that look like secrets, even if they are percent-encoded once or more. */
function maskValue(pair: string): string {
  const plain = fullyDecoded(pair);
  if (maskTokens(plain) === plain) return pair;
  const masked = maskTokens(pair);
  if (maskTokens(fullyDecoded(masked)) === fullyDecoded(masked)) return masked;
  return encodeURIComponent(maskTokens(plain)).replaceAll('%5Bmasked%5D', '[masked]').replace('%3D', '=');
}

/** Masks the query of a URL inside a pair. Some clients send the URL of their page with its query. */
function maskInner(pair: string, depth: number): string {
  return pair.replace(/(%3F|[?])(.+)$/i, (_, mark: string, inner: string) => {
    const plain = safelyDecoded(inner);
    const masked = maskQuery(plain, depth + 1);
    return masked === plain ? `${mark}${inner}` : `${mark}${encodeURIComponent(masked).replaceAll('%5Bmasked%5D', '[masked]')}`;
  });
}

/**
 * Formats of secrets: codes and secrets of applications, those in addresses of uploaded files, GitLab-style tokens, registration tokens of runners, client keys of DSNs,
 * JWTs, and keys of other services.
 */
const secretForms =
  /(?<![0-9a-z])(?:[0-9a-f]{64}|(?<=\/uploads\/|%2Fuploads%2F)[0-9a-f]{32}|gl[a-z]{2,6}-[\w-]{16,}(?:\.[\w-]+)*|glet_[0-9a-f]{32}|GR1348941[\w-]{16,}|gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*)(?![0-9a-z])/g;

/** Masks texts that look like secrets. */
export function maskTokens(text: string): string {
  return text.replaceAll(secretForms, '[masked]');
}

/** Masks a log line: texts that look like secrets, and values of secret parameters in URLs and forms. */
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

/** Masks texts in a path that look like secrets, even if they are percent-encoded. */
export function maskPathTokens(path: string): string {
  const visible = maskTokens(path);
  if (!visible.includes('%')) return visible;
  const decoded = fullyDecoded(visible);
  const masked = maskTokens(decoded);
  return masked === decoded ? visible : masked;
}

/** Maximum number of percent-encodings that are decoded to find secrets. */
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
