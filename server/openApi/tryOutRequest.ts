import { isJsonObject } from '../../src/contract/json.ts';
import { randomSecret } from '../core/secrets.ts';
import type { OwnRequest } from '../http/ownRequests.ts';
import type { Shape } from './document.ts';
import { type Endpoint, type EndpointParameter, parametersOf } from './endpoints.ts';

/** A credential that the session of the browser does not stand for, so that the form asks for it. */
export interface CredentialField {
  readonly label: string;
  readonly isRequired: boolean;
  /** Name of the header, and its value for a credential. */
  readonly header: readonly [name: string, valueOf: (credential: string) => string];
}

/** Form field of a credential. */
export const CREDENTIAL = 'credential';
/** Form field of the body of endpoints whose body is not made of parameters. */
export const RAW_BODY = 'body';

/** Returns the name of the form field of a parameter. */
export function fieldOf({ location, name }: Pick<EndpointParameter, 'location' | 'name'>): string {
  return `${location}.${name}`;
}

function schemesOf({ operation }: Endpoint): ReadonlySet<string> {
  return new Set(operation.security.flatMap((scheme) => Object.keys(scheme)));
}

/** Returns true if the session of the browser stands for the credentials of an endpoint. */
export function takesSession(endpoint: Endpoint): boolean {
  return schemesOf(endpoint).has('privateToken');
}

/** Returns the credential that an endpoint takes in a header, unless the session stands for it. */
export function credentialOf(endpoint: Endpoint, username: string): CredentialField | undefined {
  if (takesSession(endpoint)) return undefined;
  const schemes = schemesOf(endpoint);
  const isRequired = !endpoint.operation.security.some((scheme) => Object.keys(scheme).length === 0);
  const bearer = ['Authorization', (token: string) => `Bearer ${token}`] as const;
  if (schemes.has('adminToken')) return { label: 'Admin token', isRequired, header: bearer };
  if (schemes.has('registryToken')) return { label: 'Token of /jwt/auth', isRequired, header: bearer };
  if (schemes.has('bearer')) return { label: 'Access token', isRequired, header: bearer };
  if (schemes.has('registryLogin')) {
    const basic = (token: string): string => `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
    return { label: 'Personal access token', isRequired, header: ['Authorization', basic] };
  }
  if (schemes.has('clientKeyHeader')) {
    return { label: 'Client key', isRequired, header: ['X-Sentry-Auth', (key) => `Sentry sentry_version=7, sentry_key=${key}`] };
  }
  return undefined;
}

function isStream({ operation }: Endpoint): boolean {
  return Object.values(operation.responses).some(({ content = {} }) => Object.hasOwn(content, 'text/event-stream'));
}

/** Returns true if the body of an endpoint is not made of parameters: that of an SDK which reports errors. */
export function hasRawBody(endpoint: Endpoint): boolean {
  const { method, operation } = endpoint;
  return method === 'POST' && operation.requestBody === undefined && schemesOf(endpoint).has('clientKeyHeader');
}

/** Returns true for a file, whose content the form asks for. */
export function isFile({ contentMediaType }: Shape): boolean {
  return contentMediaType !== undefined;
}

/** Returns true for a parameter whose value is written as JSON. */
export function isWrittenAsJson({ name, schema }: EndpointParameter): boolean {
  const { items } = schema;
  // The variables of a GraphQL query have no schema.
  return (
    schema.type === 'object' ||
    name === 'variables' ||
    (schema.type === 'array' && typeof items === 'object' && items.type === 'object')
  );
}

/** A request that a form describes, or the errors of its fields by name. */
export type Built = { readonly request: OwnRequest } | { readonly errors: ReadonlyMap<string, string> };

/** Makes the request of a form. An empty field leaves its parameter out. */
export function requestOf(endpoint: Endpoint, form: URLSearchParams, username: string): Built {
  const errors = new Map<string, string>();
  const sent = parametersOf(endpoint.operation).flatMap((parameter): Sent[] => {
    const field = fieldOf(parameter);
    const text = form.get(field) ?? '';
    if (text === '') {
      if (parameter.required) errors.set(field, 'Enter a value.');
      return [];
    }
    const value = valueOf(parameter, text);
    if (value === undefined) errors.set(field, 'Enter valid JSON.');
    return value === undefined ? [] : [{ ...parameter, value }];
  });
  const credential = credentialOf(endpoint, username);
  const secret = form.get(CREDENTIAL) ?? '';
  if (credential?.isRequired === true && secret === '') errors.set(CREDENTIAL, 'Enter a value.');
  if (!/^[\x21-\x7e]*$/.test(secret)) errors.set(CREDENTIAL, 'Enter ASCII characters without spaces.');
  if (errors.size > 0) return { errors };

  const inBody = sent.filter(({ location }) => location === 'body');
  const raw = hasRawBody(endpoint) ? (form.get(RAW_BODY) ?? '').replaceAll('\r\n', '\n') : '';
  const { type, body } = raw === '' ? bodyOf(inBody) : { type: 'text/plain', body: Buffer.from(raw) };
  const query = sent.filter(({ location }) => location === 'query').flatMap(queryPairs);
  const path = pathOf(endpoint.path, sent);
  return {
    request: {
      method: endpoint.method,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      headers: {
        ...(isStream(endpoint) ? { Accept: 'text/event-stream' } : {}),
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...(credential === undefined || secret === '' ? {} : { [credential.header[0]]: credential.header[1](secret) }),
      },
      body,
    },
  };
}

type Sent = EndpointParameter & { readonly value: unknown };

/** Returns the value of a text; undefined for text that should be JSON. What is no number stays a text, which the endpoint refuses. */
function valueOf(parameter: EndpointParameter, text: string): unknown {
  const { schema } = parameter;
  if (isWrittenAsJson(parameter)) return parsed(text);
  if (schema.type === 'array')
    return linesOf(text).map((line) => scalar(schema.items === false ? undefined : schema.items, line));
  return scalar(schema, isFile(schema) ? text : text.replaceAll('\r\n', '\n'));
}

function scalar(schema: Shape | undefined, text: string): unknown {
  // An empty text has no other way to be sent, because an empty field leaves the parameter out.
  if (text === '""') return '';
  if (schema?.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (schema?.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pathOf(path: string, sent: readonly Sent[]): string {
  const values = new Map(sent.filter(({ location }) => location === 'path').map(({ name, value }) => [name, textOf(value)]));
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((values.get(name) ?? '').toWellFormed()));
}

/** Returns the pairs of a parameter in a query. Lists are repeated, and members are in brackets. */
function queryPairs({ name, value }: Pick<Sent, 'name' | 'value'>): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => queryPairs({ name, value: item }));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([member, part]) => queryPairs({ name: `${name}[${member}]`, value: part }));
  }
  return [`${encodeURIComponent(name)}=${encodeURIComponent(textOf(value).toWellFormed())}`];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function bodyOf(sent: readonly Sent[]): { readonly type: string | undefined; readonly body: Buffer | undefined } {
  if (sent.length === 0) return { type: undefined, body: undefined };
  if (!sent.some(({ schema }) => isFile(schema))) {
    const body = JSON.stringify(Object.fromEntries(sent.map(({ name, value }) => [name, value])));
    return { type: 'application/json', body: Buffer.from(body) };
  }
  const boundary = `signalbox-${randomSecret().slice(0, 24)}`;
  const parts = sent.map(({ name, value, schema }) => {
    const file = isFile(schema) ? '; filename="file.txt"\r\nContent-Type: text/plain' : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${textOf(value)}\r\n`;
  });
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`) };
}
