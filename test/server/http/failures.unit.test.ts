import assert from 'node:assert/strict';
import {
  badRequest,
  conflict,
  type DomainError,
  forbidden,
  forbiddenWith,
  insufficientScope,
  Invalid,
  invalidParameters,
  invalidRecord,
  invalidToken,
  missingHere,
  nothingFound,
  notFound,
  overloaded,
  recordNotFound,
  refusedChange,
  repositoryReadOnly,
  storageFailed,
  tooLarge,
  unauthenticated,
  unauthorized,
  unavailable,
  unprocessable,
  unreadable,
  unsupportedContentType,
  unsupportedFormat,
  wrongState,
} from '../../../server/core/errors.ts';
import { restFailure } from '../../../server/http/failures.ts';
import { gitRefusal } from '../../../server/features/smartHttp/refusals.ts';

interface Case {
  readonly title: string;
  readonly error: DomainError;
  readonly status: number;
  /** Body of the REST API. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text that git shows. */
  readonly text: string;
}

const fields = { title: ["can't be blank"] };
const whole = { rule: 'record.valid', reason: 'not valid: title' };

const cases: readonly Case[] = [
  {
    title: 'a missing resource',
    error: notFound('Project'),
    status: 404,
    body: { message: '404 Project Not Found' },
    text: '404 Project Not Found',
  },
  {
    title: 'something missing without a name',
    error: nothingFound('x'),
    status: 404,
    body: { message: '404 Not Found' },
    text: '404 Not Found',
  },
  {
    title: 'a missing record',
    error: recordNotFound('x'),
    status: 404,
    body: { message: '404 Not found' },
    text: '404 Not found',
  },
  {
    title: 'a missing credential',
    error: unauthenticated('x'),
    status: 401,
    body: { message: '401 Unauthorized' },
    text: '401 Unauthorized',
  },
  {
    title: 'a missing permission reported like a credential',
    error: unauthorized('x', 'mergeRequest.merge'),
    status: 401,
    body: { message: '401 Unauthorized' },
    text: '401 Unauthorized',
  },
  {
    title: 'an expired token',
    error: invalidToken('Token is expired.', 'x'),
    status: 401,
    body: { error: 'invalid_token', error_description: 'Token is expired.' },
    headers: {
      'WWW-Authenticate': 'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="Token is expired."',
    },
    text: 'Token is expired.',
  },
  {
    title: 'missing scopes',
    error: insufficientScope(['api', 'read_api'], ['read_user']),
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api read_api',
    },
    text: 'The request requires higher privileges than provided by the access token.',
  },
  {
    title: 'a missing permission',
    error: forbidden(undefined, 'x'),
    status: 403,
    body: { message: '403 Forbidden' },
    text: '403 Forbidden',
  },
  {
    title: 'a missing permission with a detail',
    error: forbidden('No', 'x'),
    status: 403,
    body: { message: '403 Forbidden - No' },
    text: '403 Forbidden - No',
  },
  { title: 'a whole message', error: forbiddenWith('No.', 'x'), status: 403, body: { message: 'No.' }, text: 'No.' },
  {
    title: 'invalid parameters, each once',
    error: invalidParameters(['id is invalid', 'name is missing', 'id is invalid']),
    status: 400,
    body: { error: 'id is invalid, name is missing' },
    text: 'id is invalid, name is missing',
  },
  {
    title: 'an unreadable request',
    error: unreadable('x'),
    status: 400,
    body: { error: '400 Bad request' },
    text: '400 Bad request',
  },
  {
    title: 'a large body',
    error: tooLarge(10),
    status: 413,
    body: { message: '413 Request Entity Too Large' },
    text: '413 Request Entity Too Large',
  },
  {
    title: 'an unknown type of content',
    error: unsupportedContentType('a/b'),
    status: 415,
    body: { error: "The provided content-type 'a/b' is not supported." },
    text: "The provided content-type 'a/b' is not supported.",
  },
  {
    title: 'an unknown format',
    error: unsupportedFormat('xml'),
    status: 406,
    body: { error: "The requested format 'xml' is not supported." },
    text: "The requested format 'xml' is not supported.",
  },
  { title: 'an invalid record', error: invalidRecord(fields), status: 400, body: { message: fields }, text: whole.reason },
  {
    title: 'an invalid record that cannot be processed',
    error: new Invalid(fields, whole, true),
    status: 422,
    body: { message: fields },
    text: whole.reason,
  },
  {
    title: 'an impossible request',
    error: badRequest('No'),
    status: 400,
    body: { message: '400 Bad request - No' },
    text: '400 Bad request - No',
  },
  { title: 'a rejected change', error: refusedChange('No'), status: 400, body: { message: 'No' }, text: 'No' },
  {
    title: 'something that this server does not have',
    error: missingHere('No', 'x', 'search.scope'),
    status: 400,
    body: { message: { error: 'No' } },
    text: 'No',
  },
  { title: 'a conflict', error: conflict(['Taken']), status: 409, body: { message: ['Taken'] }, text: 'Taken' },
  { title: 'an incomplete change', error: unprocessable('No'), status: 422, body: { message: 'No' }, text: 'No' },
  {
    title: 'a wrong state',
    error: wrongState('405 Method Not Allowed', 'x'),
    status: 405,
    body: { message: '405 Method Not Allowed' },
    text: '405 Method Not Allowed',
  },
  {
    title: 'a read-only repository',
    error: repositoryReadOnly(),
    status: 403,
    body: { message: 'The repository is temporarily read-only. Please try again later.' },
    text: 'The repository is temporarily read-only. Please try again later.',
  },
  { title: 'a missing program', error: unavailable('No git', 'x'), status: 503, body: { message: 'No git' }, text: 'No git' },
  {
    title: 'too many bodies',
    error: overloaded('x'),
    status: 503,
    body: {
      message: '503 Service Unavailable - the server is reading too many request bodies; send the request again in a few seconds',
    },
    headers: { 'Retry-After': '5' },
    text: '503 Service Unavailable - the server is reading too many request bodies; send the request again in a few seconds',
  },
];

describe('errors of rules in the REST API and in git', () => {
  for (const { title, error, status, body, headers = {}, text } of cases) {
    it(`${title} has status, body and headers in the REST API, and a text in git`, () => {
      const failure = restFailure(error);
      assert.deepEqual([failure.status, failure.body, failure.headers], [status, body, headers]);
      assert.deepEqual([failure.rule, failure.reason], [error.rule, error.reason]);
      const shown = gitRefusal(error);
      assert.deepEqual([shown.status, shown.body, shown.headers], [status, `${text}\n`, headers]);
    });
  }

  it('a full, unwritable or damaged storage has its own status', () => {
    const statuses = (['full', 'unwritable', 'damaged'] as const).map((kind) => restFailure(storageFailed(kind)).status);
    assert.deepEqual(statuses, [507, 503, 500]);
  });
});
