import type { IncomingHttpHeaders } from 'node:http';
import { type JsonObject, stringMember } from '../../../../src/contract/json.ts';
import { holdsSecretForm } from '../event/secretForms.ts';

/** A client key in a request. It may not exist. */
export interface OfferedKey {
  readonly key: string;
  readonly from: 'query' | 'header' | 'envelope';
  /** Name and version of the SDK, such as `sentry.python/2.68.0`. */
  readonly client: string | undefined;
}

/** Parts of an ingestion request that can contain a key. */
export interface KeySources {
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Header of an envelope. */
  readonly envelopeHeader?: JsonObject;
}

const KEY_LENGTH = 255;
const NEWEST_VERSION = 8;

/**
 * Returns the distinct keys of a request, the most trusted first: `sentry_key` of the query, then `X-Sentry-Auth`,
 * `Authorization: Sentry …` or Basic, then the DSN in the envelope header (docs/interface.md#error-ingestion). The first active
 * key of the project counts. Several keys contradict each other; none means missing credentials.
 */
export function offeredKeys({ query, headers, envelopeHeader }: KeySources): readonly OfferedKey[] {
  const keys: OfferedKey[] = [];
  const offer = (key: string | undefined, from: OfferedKey['from'], client?: string): void => {
    if (key === undefined || key === '' || key.length > KEY_LENGTH || keys.some((known) => known.key === key)) return;
    keys.push({ key, from, client });
  };
  const offerAll = (text: ReadonlyMap<string, string>, from: OfferedKey['from']): void => {
    if (isKnownVersion(text.get('sentry_version'))) offer(text.get('sentry_key'), from, text.get('sentry_client'));
  };
  if (query.includes('sentry_key=')) offerAll(new Map(new URLSearchParams(query)), 'query');
  const own = headers['x-sentry-auth'];
  offerAll(parseSentryHeader(typeof own === 'string' ? own : undefined), 'header');
  const { authorization } = headers;
  offerAll(parseSentryHeader(authorization), 'header');
  offer(basicUser(authorization), 'header');
  offer(userOfDsn(envelopeHeader === undefined ? undefined : stringMember(envelopeHeader, 'dsn')), 'envelope');
  return keys;
}

const CLIENT = /^[\w.@ -]{1,100}(?:\/[\w.+-]{1,100})?$/;

/** Returns the SDK that the credentials of a request name, such as `raven-php/1.8.0`, or undefined if it has another form. */
export function offeredClient(sources: KeySources): string | undefined {
  const client = offeredKeys(sources).find((offered) => offered.client !== undefined)?.client;
  return client !== undefined && CLIENT.test(client) && !holdsSecretForm(client) ? client : undefined;
}

/** Parses `Sentry sentry_key=…, sentry_version=7` in any order, with or without spaces. Other names are ignored. */
function parseSentryHeader(header: string | undefined): ReadonlyMap<string, string> {
  const text = new Map<string, string>();
  if (header === undefined) return text;
  const scheme = /^\s*sentry\s/i.exec(header);
  if (scheme === null) return text;
  for (const word of header.slice(scheme[0].length).split(',', 32)) {
    const at = word.indexOf('=');
    if (at > 0) text.set(word.slice(0, at).trim(), word.slice(at + 1).trim());
  }
  return text;
}

/** Accepts `7`, `7.0`, older versions, and no version. */
function isKnownVersion(version: string | undefined): boolean {
  return version === undefined || version === '' || Number(version) <= NEWEST_VERSION;
}

function basicUser(header: string | undefined): string | undefined {
  const encoded = /^\s*basic +(\S+)\s*$/i.exec(header ?? '')?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0];
}

function userOfDsn(dsn: string | undefined): string | undefined {
  return /^https?:\/\/([^:@/?#]+)(?::[^@/?#]*)?@/i.exec(dsn ?? '')?.[1];
}
