// Generates the OpenAPI document of all API endpoints from the route definitions and their schemas. esbuild.js writes it into the build; the
// server removes the operations that the emulated release, tier and offering lack.
import * as z from 'zod';
import { createPlatform } from '../server/createPlatform.ts';
import { builtRouteTable, routeDefinitions } from '../server/app.ts';
import { createLog } from '../server/core/log.ts';
import { declarationOf, type ParameterMetadata } from '../server/http/params.ts';
import { deprecationMarks, limitsOf, mediaTypesOf } from '../server/http/responses.ts';
import { isDescribed, type Route } from '../server/http/route.ts';
import { ALL_SCOPES, scopeDescription } from '../src/contract/scopes.ts';
import type { Platform } from '../server/platform.ts';
import { defaultProfile } from '../server/core/profile.ts';
import { openStore } from '../server/store/open.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the document of all routes of all releases. */
export function openApiOfRoutes(version: string): Json {
  return withPlatform(version, (platform) => openApiOf(routeDefinitions(platform), version));
}

/** Returns the table of routes that the build embeds in the server, as JSON. */
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
    if (!isDescribed(route)) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Signalbox',
      version,
      description:
        'API of the local server. For each operation, x-clause is the heading of docs/interface.md that describes it, x-status says if it is stated, inferred from GitLab or local to this server, and x-role is the required role.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.filter(isDescribed).map(tagOf))].map((name) => ({ name })),
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
    const metadata = declarationOf(schema);
    return metadata === undefined ? [] : [{ name, metadata }];
  });
  const kindInPath = new Map(declared.map(({ name, metadata }) => [name, metadata]));
  const others = declared.filter(({ name }) => !inPath.includes(name));
  const inQuery = route.method === 'GET' || route.method === 'DELETE';
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
      ...(CAN_BE_UNCHANGED.test(`${route.method} ${route.path}`)
        ? { 304: { description: 'Not changed, because it already has the requested state' } }
        : {}),
      ...failuresOf(route),
    },
    security: securityOf(route),
    'x-clause': route.specRef,
    'x-status': route.status,
    'x-role': route.role,
    'x-scopes': route.scopes,
    ...(route.key === undefined ? {} : { 'x-key': route.key }),
    'x-availability': limitsOf(route),
    ...(route.deprecation === undefined ? {} : deprecationMarks(route.deprecation)),
  };
}

/** Paths of resources whose own path can change, so that former paths redirect. */
const CAN_MOVE = /\/(?:projects|groups|namespaces)\/:(?:id|project_id)\b/;

/** Requests that set a state which the resource may have already (docs/interface.md#rest-errors). */
const CAN_BE_UNCHANGED = /^POST .*\/(?:un)?(?:follow|star|subscribe)$|^DELETE .*\/fork$/;

const sudo = {
  name: 'Sudo',
  in: 'header',
  description: 'ID or username of the user that an administrator acts as; the token needs the scope sudo',
  schema: { type: 'string' },
};

/** Returns the tag of a route: the first distinctive segment of its path. */
function tagOf({ path }: Route): string {
  const [first = '', , third] = path.split('/').slice(1);
  return first === 'api' ? (third ?? first) : first;
}

/** Returns the marks of a parameter: its deprecation, and the releases, tiers and offerings that have it. */
function marksOf({ availability, deprecation }: ParameterMetadata): Json {
  return {
    ...(availability === undefined || Object.keys(limitsOf(availability)).length === 0
      ? {}
      : { 'x-availability': limitsOf(availability) }),
    ...(deprecation === undefined ? {} : deprecationMarks(deprecation)),
  };
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
      return { type: 'string', contentMediaType: 'application/octet-stream' };
    case 'opaque':
    case 'string':
      return { type: 'string', ...more };
  }
}

/** Returns a query parameter. Lists are named `name[]`. */
function queryParameter(name: string, metadata: ParameterMetadata): Json {
  const isList = metadata.kind === 'strings' || metadata.kind === 'integers';
  return {
    name: isList ? `${name}[]` : name,
    in: 'query',
    ...(metadata.kind === 'object' ? { style: 'deepObject', explode: true } : {}),
    ...(metadata.required ? { required: true } : {}),
    ...marksOf(metadata),
    schema: parameterSchema(metadata),
  };
}

function objectSchema(members: readonly (readonly [name: string, metadata: ParameterMetadata])[]): Json {
  const required = members.filter(([, metadata]) => metadata.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(([name, metadata]) => [name, { ...parameterSchema(metadata), ...marksOf(metadata) }]),
    ),
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
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  302: 'Redirect',
  204: 'No content',
};

function responseOf(route: Route, schemas: Record<string, unknown>): Json {
  const text = { description: description[route.successStatus] ?? 'Success' };
  if (route.body === undefined) return text;
  const schema = jsonSchemaOf(route.body(), schemas);
  return {
    ...text,
    ...(isPaged(route) ? { headers: pageHeaders } : {}),
    content: Object.fromEntries((mediaTypesOf(route.body) ?? ['application/json']).map((type) => [type, { schema }])),
  };
}

function isPaged(route: Route): boolean {
  return route.method === 'GET' && route.schema?.().shape['per_page'] !== undefined;
}

const pageHeaders = {
  Link: { description: 'URLs of other pages (RFC 8288)', schema: { type: 'string' } },
  ...Object.fromEntries(
    ['X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page', 'X-Total', 'X-Total-Pages'].map((name) => [
      name,
      { schema: { type: 'string' } },
    ]),
  ),
};

/** Returns a JSON schema with references to the named schemas in it, and adds those to `schemas`. */
function jsonSchemaOf(schema: z.ZodType, schemas: Record<string, unknown>): unknown {
  const generated = z.toJSONSchema(z.strictObject({ response: schema }), {
    override: ({ jsonSchema }) => {
      // The format makes the pattern redundant.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      delete jsonSchema.id;
    },
  });
  for (const [name, definition] of Object.entries(generated.$defs ?? {})) schemas[name] = referenced(definition);
  return referenced(generated.properties?.['response']);
}

/** Makes references point to the components of the document instead of the definitions of the schema. */
function referenced(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text);
}

function sorted(schemas: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Formats of errors: of the API's own rules, of the checks before them, and of OAuth (docs/interface.md#rest-errors). */
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
    description: 'The project, group or namespace has moved to another path',
    headers: { Location: { schema: { type: 'string' } } },
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  BadRequest: failure('A parameter is missing or invalid, or the request is unreadable'),
  Unauthorized: failure('The token is missing, unknown, expired or revoked'),
  /** Error of endpoints that only read a token: a missing one is reported in WWW-Authenticate only (RFC 6750 §3.1). */
  NoToken: {
    description: 'The token is unknown, expired or revoked, or it is missing, in which case there is no body',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  },
  Forbidden: failure('The caller lacks the permission, or the token lacks a scope'),
  NotFound: failure('The resource does not exist or is not visible to the caller'),
  MethodNotAllowed: failure('The resource does not support the operation, such as a form of pagination'),
  NotAcceptable: failure('Only JSON is supported'),
  Conflict: failure('A resource with this name already exists'),
  TooLarge: failure('The body is too large'),
  TooLong: failure('The request line is too long'),
  UnsupportedMediaType: failure('The body is neither JSON nor a form'),
  TooManyRequests: {
    description: 'A rate limit of the instance is exceeded',
    headers: Object.fromEntries(
      ['Retry-After', 'RateLimit-Reset'].map((name) => [name, { schema: { type: 'string', pattern: '^[0-9]+$' } }]),
    ),
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
  SwitchedOff: {
    description: 'The endpoint is turned off, so its path is unknown',
    content: { 'text/html': { schema: { type: 'string' } } },
  },
  Failure: failure('Any other error'),
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
      // An invalid client key gets 404, as on GitLab.
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
        scopes: Object.fromEntries(ALL_SCOPES.map((scope) => [scope, scopeDescription(scope)])),
      },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, which can also be sent in the body' },
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

/** Returns the accepted authentication methods; an empty one means that no credentials are required. */
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
