import type { RequestContext } from '../../http/requestContext.ts';
import { invalidRequest } from './failures.ts';
import { traceOf } from './flowTrace.ts';

/** Parameters of a request: each at most once, without blank ones (RFC 6749 §3.1, §3.2). */
export type OAuthParameters = ReadonlyMap<string, string>;

/** Condition on the form of the parameters, for recorded flows. */
export const READABLE = 'the parameters are readable and not repeated';

const BODY_LIMIT = 65_536;

/** Parameters that are refused in the URL, because logs and histories store it (RFC 6749 §2.3.1). */
const bodyOnly = new Set([
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'device_code',
  'password',
  'refresh_token',
  'token',
]);

/**
 * Reads query and body (form, multipart or JSON).
 * @throws {WireFailure} invalid_request for repeated or nested parameters, and for secrets in the URL.
 */
export async function readOAuthParameters(context: RequestContext): Promise<OAuthParameters> {
  const trace = traceOf(context);
  trace.check(READABLE);
  const parameters = new Map<string, string>();
  const add = (name: string, value: string): void => {
    if (parameters.has(name)) throw invalidRequest(`The parameter ${shown(name)} was sent more than once.`, 'parameters.single');
    parameters.set(name, value);
  };
  for (const [name, value] of formPairs(context.query)) {
    if (context.method === 'POST' && bodyOnly.has(name)) {
      throw invalidRequest(`The parameter ${name} must be sent in the body and not in the URL.`, 'parameters.body');
    }
    add(name, value);
  }
  if (context.method === 'POST') for (const [name, value] of await bodyPairs(context)) add(name, value);
  for (const [name, value] of parameters) if (value === '') parameters.delete(name);
  // Forms are recorded even if they are refused, when their body is read.
  if (context.method === 'POST' && !isForm(context)) trace.parameters = [...parameters];
  return parameters;
}

/** Returns true if the body is a form, which is also the default. */
export function isForm({ headers }: RequestContext): boolean {
  return /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? 'application/x-www-form-urlencoded');
}

type Pair = readonly [name: string, value: string];

async function bodyPairs(context: RequestContext): Promise<readonly Pair[]> {
  const body = await context.body(BODY_LIMIT);
  if (body.length === 0) return [];
  const contentType = context.headers['content-type'] ?? 'application/x-www-form-urlencoded';
  const [mediaType = ''] = contentType.split(';', 1);
  switch (mediaType.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return formPairs(body.toString('utf8'));
    case 'application/json':
      return jsonPairs(body.toString('utf8'));
    case 'multipart/form-data':
      return multipartPairs(body, contentType);
    default:
      throw invalidRequest('Send the parameters as application/x-www-form-urlencoded.', 'parameters.type');
  }
}

function formPairs(text: string): readonly Pair[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): Pair => {
      const at = pair.indexOf('=');
      const name = decoded(at < 0 ? pair : pair.slice(0, at));
      return single(name, at < 0 ? '' : decoded(pair.slice(at + 1)));
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest('A parameter is not validly percent-encoded.', 'parameters.encoding');
  }
}

function jsonPairs(text: string): readonly Pair[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest('The body is not valid JSON.', 'parameters.json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The JSON body must be an object.', 'parameters.json');
  }
  return Object.entries(value).map(([name, member]: [string, unknown]): Pair => {
    if (member === null) return [name, ''];
    if (typeof member === 'string' || typeof member === 'number' || typeof member === 'boolean')
      return single(name, String(member));
    throw notSingle(name);
  });
}

async function multipartPairs(body: Buffer, contentType: string): Promise<readonly Pair[]> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    return [...form].map(([name, value]) => single(name, typeof value === 'string' ? value : ''));
  } catch (error) {
    if (error instanceof TypeError)
      throw invalidRequest('The multipart body does not follow its boundary.', 'parameters.multipart');
    throw error;
  }
}

/** Refuses arrays and hashes, which OAuth does not have: `scope[]=api` must not be treated like an omitted parameter. */
function single(name: string, value: string): Pair {
  const at = name.indexOf('[');
  if (at > 0) throw notSingle(name.slice(0, at));
  return [name, value];
}

function notSingle(name: string): Error {
  return invalidRequest(`The parameter ${shown(name)} must be a single text.`, 'parameters.single');
}

/** Sanitizes the name of a parameter for a response, which may repeat it in a header. */
function shown(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : '(unnamed)';
}
