import { bearerOf } from '../http/credentials.ts';
import type { RequestContext } from '../http/requestContext.ts';
import { WireFailure } from '../http/failures.ts';
import { maskQuery } from '../http/requestLog.ts';
import type { FlowStep } from '../../src/contract/oauthFlows.ts';
import { readOAuthParameters } from './parameters.ts';

/** Parameters of which the value is shown. Of every other one it is the shape only, so that nobody has to know what is a secret. */
const shown = new Set([
  'client_id',
  'code_challenge_method',
  'grant_type',
  'max_age',
  'prompt',
  'redirect_uri',
  'response_mode',
  'response_type',
  'root_namespace_id',
  'scope',
  'token_type_hint',
]);

const MAX_PARAMETERS = 20;
const MAX_VALUE_LENGTH = 500;

/** What a request carries, as pairs, each as often as it was sent; also of one that is refused because it cannot be read. */
export async function sentPairs(
  context: RequestContext,
  body: Buffer | undefined,
): Promise<readonly (readonly [string, string])[]> {
  const type = context.headers['content-type'] ?? 'application/x-www-form-urlencoded';
  const isForm = type.toLowerCase().startsWith('application/x-www-form-urlencoded');
  const query = [...new URLSearchParams(context.query)];
  if (body === undefined || body.length === 0) return query;
  if (isForm) return [...query, ...new URLSearchParams(body.toString('utf8'))];
  try {
    return [...(await readOAuthParameters(context))];
  } catch (error) {
    if (error instanceof WireFailure) return query;
    throw error;
  }
}

/** How parameters are shown: `code_verifier: 64 characters`. `client`: how the client id is told. */
export function shownParameters(
  pairs: readonly (readonly [string, string])[],
  authorization: string | undefined,
  client: string | null,
): FlowStep['parameters'] {
  const list = pairs.slice(0, MAX_PARAMETERS).map(([name, value]) => ({
    name: shownName(name),
    value: name === 'client_id' && client !== null && !value.includes(' ') ? client : shownValue(name, value),
  }));
  const header = shownAuthorization(authorization);
  const left = pairs.length - list.length;
  return [
    ...(header === undefined ? [] : [{ name: 'Authorization', value: header }]),
    ...list,
    ...(left > 0 ? [{ name: '…', value: `${left} more` }] : []),
  ];
}

function shownAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bearer = bearerOf(header);
  if (bearer !== undefined) return `Bearer, ${shape(bearer)}`;
  return /^basic\b/i.test(header) ? 'Basic, with client ID and secret' : shape(header);
}

/** A secret may stand where a name should: only what looks like one is repeated. */
function shownName(name: string): string {
  return /^[a-z][a-z_]{0,31}$/.test(name) ? name : `(a name of ${shape(name)})`;
}

function shownValue(name: string, value: string): string {
  if (!shown.has(name)) return shape(value);
  const text = name === 'redirect_uri' ? shownUri(value) : withoutLongWords(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}… (${shape(text)})` : text;
}

/** An address, without the values of parameters that are secrets: some clients send the address of their page as it was called. */
export function shownUri(uri: string): string {
  const at = uri.search(/[?#]/);
  return at < 0
    ? uri
    : uri.slice(0, at + 1) +
        uri
          .slice(at + 1)
          .split('#')
          .map((part) => maskQuery(part))
          .join('#');
}

/** A text without what could be a token, a code or a hash. */
export function withoutLongWords(text: string): string {
  return text.replaceAll(/[\w.~+/=-]{32,}/g, (word) => `[${shape(word)}]`);
}

export function shape({ length }: string): string {
  return length === 1 ? '1 character' : `${length} characters`;
}

/** A client id that no application has; it could be anything, a secret in the wrong place, too. */
export function shownUnknownClient(uid: string): string {
  const beginning = uid.slice(0, Math.min(8, Math.floor(uid.length / 2))).replaceAll(/[^\w.-]/g, '?');
  return `${beginning}… (${shape(uid)})`;
}
