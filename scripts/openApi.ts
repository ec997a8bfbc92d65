// The OpenAPI document of every endpoint that programs call, from the ledger and its schemas. esbuild.js writes it into the build;
// the server only leaves out what the imitated release, tier and offering lack.
import * as z from 'zod';
import { createPlatform } from '../server/createPlatform.ts';
import { builtRouteTable, routeDefinitions } from '../server/app.ts';
import { createLog } from '../server/log.ts';
import { metadataOf, type ParameterMetadata } from '../server/http/params.ts';
import { content, eventStream } from '../server/http/responses.ts';
import type { Route } from '../server/http/route.ts';
import { ALL_SCOPES, scopeDescriptions } from '../server/identity/identity.ts';
import type { Platform } from '../server/platform.ts';
import { defaultProfile } from '../server/profile.ts';
import { openStore } from '../server/store/open.ts';

type Json = Readonly<Record<string, unknown>>;

/** The document of all routes, whatever the release. */
export function openApiOfRoutes(version: string): Json {
  return withPlatform(version, (platform) => openApiOf(routeDefinitions(platform), version));
}

/** The table of routes that the build writes into the server, as JSON. */
export function routeTableJson(version: string): string {
  return withPlatform(version, (platform) => JSON.stringify(builtRouteTable(platform)));
}

function withPlatform<T>(version: string, use: (platform: Platform) => T): T {
  const store = openStore(':memory:');
  try {
    const log = createLog('error', (line) => process.stderr.write(line));
    return use(createPlatform({ store, profile: defaultProfile, log, version, mediaDir: '', git: { program: 'git', env: {} } }));
  } finally {
    store.close();
  }
}

export function openApiOf(routes: readonly Route[], version: string): Json {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.area === 'page') continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Signalbox',
      version,
      description:
        'The local platform. Each operation names in x-clause the heading of docs/interface.md that describes it, in x-status whether it is stated, inferred from the real platform or local to this server, and in x-role who may call it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.filter(({ area }) => area !== 'page').map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...sorted(schemas), ...failureSchemas },
      responses: failures,
      parameters: { Sudo: sudo },
      securitySchemes,
    },
  };
}

function operationOf(route: Route, schemas: Record<string, unknown>): Json {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const declared = Object.entries(route.schema?.().shape ?? {}).flatMap(([name, schema]) => {
    const metadata = metadataOf(schema);
    return metadata === undefined ? [] : [{ name, metadata }];
  });
  const kindInPath = new Map(declared.map(({ name, metadata }) => [name, metadata]));
  const others = declared.filter(({ name }) => !inPath.includes(name));
  const inQuery = route.method === 'GET' || route.method === 'DELETE';
  const { addedIn, removedIn, tiers, offerings } = route;
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    tags: [tagOf(route)],
    parameters: [
      ...inPath.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: parameterSchema(kindInPath.get(name) ?? { kind: 'string', required: true }),
      })),
      ...(inQuery ? others.map(({ name, metadata }) => queryParameter(name, metadata)) : []),
      ...(route.area === 'api' ? [{ $ref: '#/components/parameters/Sudo' }] : []),
    ],
    ...(inQuery || others.length === 0 ? {} : { requestBody: bodyOf(others) }),
    responses: {
      [route.successStatus]: responseOf(route, schemas),
      ...(route.also === undefined ? {} : { [route.also.successStatus]: responseOf({ ...route, ...route.also }, schemas) }),
      ...(route.method === 'GET' && CAN_MOVE.test(route.path) ? { 301: { $ref: '#/components/responses/Moved' } } : {}),
      ...(CAN_BE_SO.test(`${route.method} ${route.path}`) ? { 304: { description: 'It is so already' } } : {}),
      ...failuresOf(route),
    },
    security: securityOf(route),
    'x-clause': route.specRef,
    'x-status': route.status,
    'x-role': route.role,
    'x-scopes': route.scopes,
    ...(route.key === undefined ? {} : { 'x-key': route.key }),
    'x-availability': Object.fromEntries(
      Object.entries({ first: addedIn, last: removedIn, tiers, offerings }).filter(([, limit]) => limit !== undefined),
    ),
  };
}

/** What has a path that may change, so that its former ones lead to it. */
const CAN_MOVE = /\/(?:projects|groups|namespaces)\/:(?:id|project_id)\b/;

/** What is switched on or off, and may be so before (docs/interface.md#rest-errors). */
const CAN_BE_SO = /^POST .*\/(?:un)?(?:follow|star|subscribe)$|^DELETE .*\/fork$/;

const sudo = {
  name: 'Sudo',
  in: 'header',
  description: 'Number or username of the person as whom an administrator acts; the token needs the scope sudo',
  schema: { type: 'string' },
};

/** The first word of a path that tells anything. */
function tagOf({ path }: Route): string {
  const [first = '', , third] = path.split('/').slice(1);
  return first === 'api' ? (third ?? first) : first;
}

function parameterSchema(metadata: ParameterMetadata): Json {
  const more = metadata.fallback === undefined ? {} : { default: metadata.fallback };
  switch (metadata.kind) {
    case 'integer':
      return { type: 'integer', ...more };
    case 'boolean':
      return { type: 'boolean', ...more };
    case 'enum':
      return { type: 'string', enum: metadata.values, ...more };
    case 'date':
      return { type: 'string', format: 'date', ...more };
    case 'time':
      return { type: 'string', format: 'date-time', ...more };
    case 'strings':
      return {
        type: 'array',
        items: { type: 'string', ...(metadata.values === undefined ? {} : { enum: metadata.values }) },
        ...more,
      };
    case 'integers':
      return { type: 'array', items: { type: 'integer' }, ...more };
    case 'objects':
      return { type: 'array', items: objectSchema(Object.entries(metadata.members ?? {})), ...more };
    case 'object':
      return { ...objectSchema(Object.entries(metadata.members ?? {})), ...more };
    case 'file':
    case 'opaque':
    case 'string':
      return { type: 'string', ...more };
  }
}

/** A list is sent as `name[]`. */
function queryParameter(name: string, metadata: ParameterMetadata): Json {
  const isList = metadata.kind === 'strings' || metadata.kind === 'integers';
  return {
    name: isList ? `${name}[]` : name,
    in: 'query',
    ...(metadata.kind === 'object' ? { style: 'deepObject', explode: true } : {}),
    ...(metadata.required ? { required: true } : {}),
    schema: parameterSchema(metadata),
  };
}

function objectSchema(members: readonly (readonly [name: string, metadata: ParameterMetadata])[]): Json {
  const required = members.filter(([, metadata]) => metadata.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, metadata]) => [name, parameterSchema(metadata)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function bodyOf(parameters: readonly { readonly name: string; readonly metadata: ParameterMetadata }[]): Json {
  const required = parameters.filter(({ metadata }) => metadata.required);
  const schema = objectSchema(parameters.map(({ name, metadata }) => [name, metadata]));
  return {
    ...(required.length === 0 ? {} : { required: true }),
    content: {
      'application/json': { schema },
      'application/x-www-form-urlencoded': { schema },
      ...(parameters.some(({ metadata }) => metadata.kind === 'file') ? { 'multipart/form-data': { schema } } : {}),
    },
  };
}

const description: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted',
  302: 'Elsewhere',
  204: 'Gone',
};

function responseOf(route: Route, schemas: Record<string, unknown>): Json {
  const text = { description: description[route.successStatus] ?? 'Done' };
  if (route.body === undefined) return text;
  const schema = jsonSchemaOf(route.body(), schemas);
  return {
    ...text,
    ...(isPaged(route) ? { headers: pageHeaders } : {}),
    content:
      route.body === eventStream
        ? { 'text/event-stream': { schema } }
        : route.body === content
          ? { 'text/plain': { schema }, 'application/octet-stream': { schema } }
          : { 'application/json': { schema } },
  };
}

function isPaged(route: Route): boolean {
  return route.method === 'GET' && route.schema?.().shape['per_page'] !== undefined;
}

const pageHeaders = {
  Link: { description: 'Addresses of other pages (RFC 8288)', schema: { type: 'string' } },
  ...Object.fromEntries(
    ['X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page', 'X-Total', 'X-Total-Pages'].map((name) => [
      name,
      { schema: { type: 'string' } },
    ]),
  ),
};

/** A schema with the named ones in it as references; those are collected. */
function jsonSchemaOf(schema: z.ZodType, schemas: Record<string, unknown>): unknown {
  const made = z.toJSONSchema(z.strictObject({ response: schema }), {
    override: ({ jsonSchema }) => {
      // The format says it shorter.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      delete jsonSchema.id;
    },
  });
  for (const [name, definition] of Object.entries(made.$defs ?? {})) schemas[name] = referenced(definition);
  return referenced(made.properties?.['response']);
}

/** References lead to the document's components instead of the schema's own definitions. */
function referenced(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text);
}

function sorted(schemas: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Errors of the API's own rules, those in front of them, and those of OAuth (docs/interface.md#rest-errors). */
const failureSchemas = {
  Failure: {
    anyOf: [
      {
        type: 'object',
        properties: {
          message: {
            anyOf: [
              { type: 'string' },
              { type: 'array', items: { type: 'string' } },
              {
                type: 'object',
                additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
              },
            ],
          },
        },
        required: ['message'],
        additionalProperties: false,
      },
      { type: 'object', properties: { error: { type: 'string' } }, required: ['error'], additionalProperties: false },
      { $ref: '#/components/schemas/OAuthFailure' },
      { $ref: '#/components/schemas/RegistryFailure' },
      { $ref: '#/components/schemas/GraphqlFailure' },
      { $ref: '#/components/schemas/IngestFailure' },
    ],
  },
  IngestFailure: {
    type: 'object',
    properties: { message: { type: 'string' }, detail: { type: 'string' }, causes: { type: 'array', items: { type: 'string' } } },
    required: ['message', 'detail', 'causes'],
    additionalProperties: false,
  },
  GraphqlFailure: {
    type: 'object',
    properties: {
      errors: { type: 'array', items: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } },
    },
    required: ['errors'],
    additionalProperties: false,
  },
  RegistryFailure: {
    type: 'object',
    properties: {
      errors: {
        type: 'array',
        items: {
          type: 'object',
          properties: { code: { type: 'string' }, message: { type: 'string' }, detail: { type: 'null' } },
          required: ['code', 'message', 'detail'],
          additionalProperties: false,
        },
      },
    },
    required: ['errors'],
    additionalProperties: false,
  },
  OAuthFailure: {
    type: 'object',
    properties: { error: { type: 'string' }, error_description: { type: 'string' }, scope: { type: 'string' } },
    required: ['error', 'error_description'],
    additionalProperties: false,
  },
};

const failure = (text: string) => ({
  description: text,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
});

const failures = {
  Moved: {
    description: 'The project, group or namespace has another path now',
    headers: { Location: { schema: { type: 'string' } } },
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  BadRequest: failure('A parameter is missing or not valid, or the request cannot be read'),
  Unauthorized: failure('The token is missing, unknown, expired or revoked'),
  /** Of what reads a token only: a request without one is told in WWW-Authenticate alone (RFC 6750 section 3.1). */
  NoToken: {
    description: 'The token is missing, and then there is no body, or unknown, expired or revoked',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  },
  Forbidden: failure('The caller may not do this, or the token lacks a scope'),
  NotFound: failure('There is no such thing, or the caller may not see it'),
  MethodNotAllowed: failure('The resource refuses this, such as a form of pagination it does not have'),
  NotAcceptable: failure('Only JSON is answered'),
  Conflict: failure('Something of this name is there already'),
  TooLarge: failure('The body is too long'),
  TooLong: failure('The request line is too long'),
  UnsupportedMediaType: failure('The body is neither JSON nor a form'),
  TooManyRequests: {
    description: 'A limit that an administrator has set is reached',
    headers: Object.fromEntries(
      ['Retry-After', 'RateLimit-Reset'].map((name) => [name, { schema: { type: 'string', pattern: '^[0-9]+$' } }]),
    ),
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  SwitchedOff: {
    description: 'It is switched off, and the path is one that nobody knows',
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  Failure: failure('Any other failure'),
};

const failureStatuses: Readonly<Record<number, keyof typeof failures>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  413: 'TooLarge',
  414: 'TooLong',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
};

function failuresOf({ area, method, role, isOn }: Route): Json {
  const takesTokens = area === 'api' || area === 'graphql';
  const isOpen = role === 'anyone' && !takesTokens;
  const statuses = Object.keys(failureStatuses)
    .map(Number)
    .filter((status) => {
      // A key that is none is 404, as on the real platform.
      if (area === 'ingest') return status !== 401 && (status !== 403 || role === 'anyone') && status !== 406 && status !== 409;
      if (status === 401) return !isOpen;
      if (status === 405 || status === 406 || status === 429) return takesTokens;
      if (status === 409) return method !== 'GET' && area !== 'oauth';
      return status !== 415 || method !== 'GET';
    });
  return {
    ...Object.fromEntries(
      statuses.map((status) => {
        const isOff = status === 404 && isOn !== undefined;
        const name = isOff
          ? 'SwitchedOff'
          : status === 401 && role === 'token'
            ? 'NoToken'
            : (failureStatuses[status] ?? 'Failure');
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    ),
    default: { $ref: '#/components/responses/Failure' },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An OAuth access token or a personal access token' },
  privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'A personal access token' },
  accessToken: { type: 'apiKey', in: 'query', name: 'access_token' },
  oauth2: {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/authorize',
        tokenUrl: '/oauth/token',
        refreshUrl: '/oauth/token',
        scopes: Object.fromEntries(ALL_SCOPES.map((scope) => [scope, scopeDescriptions[scope] ?? scope])),
      },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret; they may stand in the body instead' },
  registryToken: { type: 'http', scheme: 'bearer', description: 'A token of /jwt/auth' },
  registryLogin: { type: 'http', scheme: 'basic', description: 'A personal access token as the password' },
  adminToken: { type: 'http', scheme: 'bearer', description: 'The admin token of this server' },
  clientKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Sentry-Auth',
    description: '`Sentry sentry_version=7, sentry_key=…`',
  },
  clientKey: { type: 'apiKey', in: 'query', name: 'sentry_key', description: 'A client key' },
};

/** One of the listed ways; an empty one means that nothing need be sent. */
function securityOf({ area, role, scopes }: Route): readonly Json[] {
  if (area === 'control') return role === 'anyone' ? [{}, { adminToken: [] }] : [{ adminToken: [] }];
  if (area === 'ingest') return role === 'anyone' ? [{}] : [{ clientKeyHeader: [] }, { clientKey: [] }];
  if (area === 'registry') return [role === 'token' ? { registryToken: [] } : { registryLogin: [] }];
  if (area === 'oauth') return role === 'client' ? [{ client: [] }, {}] : role === 'token' ? [{ bearer: [] }] : [{}];
  const isOpen = role === 'anyone' || role.endsWith(':visible');
  return [
    ...(isOpen ? [{}] : []),
    { bearer: [] },
    { privateToken: [] },
    { accessToken: [] },
    ...scopes.map((scope) => ({ oauth2: [scope] })),
  ];
}
