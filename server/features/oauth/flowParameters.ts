import { bearerOf } from '../../http/credentials.ts';
import { maskQuery } from '../../core/masking.ts';
import type { FlowStep } from '../../../src/contract/oauthFlows.ts';
import type { SeenStep } from './flows.ts';
import type { FlowTrace, RecordedRefusal } from './flowTrace.ts';

/** Parameters whose values are shown. For all others only the length is shown, so that secrets need not be listed. */
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

/**
 * Returns the parameters as shown in a flow: `code_verifier: 64 characters`.
 * @param client Displayed client ID.
 */
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
  const omitted = pairs.length - list.length;
  return [
    ...(header === undefined ? [] : [{ name: 'Authorization', value: header }]),
    ...list,
    ...(omitted > 0 ? [{ name: '…', value: `${omitted} more` }] : []),
  ];
}

function shownAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bearer = bearerOf(header);
  if (bearer !== undefined) return `Bearer, ${shape(bearer)}`;
  return /^basic\b/i.test(header) ? 'Basic, with client ID and secret' : shape(header);
}

/** Returns a parameter name, or its length if it does not look like a name, because it may be a misplaced secret. */
function shownName(name: string): string {
  return /^[a-z][a-z_]{0,31}$/.test(name) ? name : `(a name of ${shape(name)})`;
}

function shownValue(name: string, value: string): string {
  if (!shown.has(name)) return shape(value);
  const text = name === 'redirect_uri' ? shownUri(value) : withoutLongWords(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}… (${shape(text)})` : text;
}

/** Masks secret parameters in a URI. Some clients send the URL of their page with its query. */
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

/** Replaces long words in a text, which could be tokens, codes or hashes. */
export function withoutLongWords(text: string): string {
  return text.replaceAll(/[\w.~+/=-]{32,}/g, (word) => `[${shape(word)}]`);
}

export function shape({ length }: string): string {
  return length === 1 ? '1 character' : `${length} characters`;
}

/** Shortens an unknown client ID, because it could be a misplaced secret. */
export function shownUnknownClient(uid: string): string {
  const beginning = uid.slice(0, Math.min(8, Math.floor(uid.length / 2))).replaceAll(/[^\w.-]/g, '?');
  return `${beginning}… (${shape(uid)})`;
}

/** Returns a refusal without anything that could be a secret or its hash. */
export function shownRefusal(
  { rule: logged, reason }: RecordedRefusal,
  trace: FlowTrace,
  redirectUri: string | undefined,
): RecordedRefusal {
  const rule = logged.replace(/^authorize\./, '');
  if (rule !== 'redirect_uri') return { rule, reason: withoutLongWords(trace.reason ?? reason) };
  return { rule, reason: redirectUri === undefined ? reason : reason.replaceAll(redirectUri, () => shownUri(redirectUri)) };
}

/** Returns the values of secret parameters. Short values are omitted, because they could be ordinary words. */
export function secretsOf(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const secret = new Set([
    'code',
    'code_challenge',
    'code_verifier',
    'client_secret',
    'device_code',
    'user_code',
    'refresh_token',
    'access_token',
    'token',
    'password',
  ]);
  return pairs.filter(([name, value]) => secret.has(name) && value.length >= 8).map(([, value]) => value);
}

/** Masks the given secrets wherever they appear in a step, as a safety net. */
export function withoutValues(step: SeenStep, secrets: readonly string[]): SeenStep {
  const shown = step.refusal === null ? step.parameters.map(({ value }) => value).join(' ') : undefined;
  // Fast path for nearly all steps.
  if (shown !== undefined && !secrets.some((secret) => shown.includes(secret))) return step;
  const masked = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '[masked]'), text);
  const { refusal, difference } = step;
  return {
    ...step,
    parameters: step.parameters.map(({ name, value }) => ({ name: masked(name), value: masked(value) })),
    checks: step.checks.map(({ verdict, words }) => ({ verdict, words: masked(words) })),
    refusal: refusal === null ? null : { rule: refusal.rule, reason: masked(refusal.reason) },
    difference:
      difference === null ? null : { ...difference, sent: masked(difference.sent), expected: masked(difference.expected) },
  };
}
