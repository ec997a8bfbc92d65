import { request, type Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { commitWith, NO_OBJECT, type PackedObject, pushOf } from '../../support/packs.ts';

/** A server that receives long requests. */
export interface Target {
  readonly origin: string;
  readonly token: string;
  readonly agent?: Agent;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Received {
  readonly status: number;
  readonly text: string;
}

/** Size of the longest bodies in bytes, slightly below the limit of the REST API. */
export const MAX_BODY_BYTES = 990_000;

/** A kind of request that a client can make long. */
export interface LongRequest {
  readonly name: string;
  /** Status of the response. An error status is expected in rows about limits. */
  readonly status: number;
  /** A request that waits for work that the server does after its response to the long one. */
  readonly settledBy?: (location: Fixture) => Sent;
  /** Creates the data that the request needs and returns the request. `bytes` is the length of the body, or of the shown text. */
  prepare(location: Fixture, bytes: number): Sent | Promise<Sent>;
}

/** Resources that the long requests use. */
export interface Fixture {
  readonly projectId: number;
  readonly projectPath: string;
  readonly clientKey: string;
  /** Sends a request as the administrator; throws unless it succeeds. */
  call(method: string, path: string, body?: object | string): Promise<Readonly<Record<string, unknown>>>;
  /** Pushes to the project; throws unless the request succeeds. */
  push(body: Buffer): Promise<void>;
  /** Path of a new issue, below `/api/v4`. */
  issue(more?: object): Promise<{ readonly api: string; readonly page: string }>;
  mergeRequest(): Promise<string>;
}

/** Sends one request and reads the whole response. */
export function sendTo({ origin, token, agent }: Target, { method, path, headers, body = '' }: Sent): Promise<Received> {
  const length = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${origin}${path}`,
      {
        method,
        ...(agent === undefined ? {} : { agent }),
        headers: { 'PRIVATE-TOKEN': token, ...(method === 'GET' ? {} : { 'Content-Length': length }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      },
    );
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}

const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Creates a project with a file, tracked errors and a client key. */
export async function makePlace(target: Target): Promise<Fixture> {
  const send = async (sent: Sent): Promise<Received> => {
    const received = await sendTo(target, sent);
    if (received.status >= 300)
      throw new Error(`${sent.method} ${sent.path} returned ${received.status}: ${received.text.slice(0, 300)}`);
    return received;
  };
  const call: Fixture['call'] = async (method, path, body) => {
    const { text } = await send({
      method,
      path,
      headers: json,
      body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
    });
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };
  const project = await call('POST', '/api/v4/projects', { name: 'Long requests', visibility: 'public' });
  const projectId = Number(project['id']);
  const api = `/api/v4/projects/${projectId}`;
  await call('PUT', `${api}/error_tracking/settings`, { active: true, integrated: true });
  const { public_key: clientKey } = await call('POST', `${api}/error_tracking/client_keys`);
  await call('POST', `${api}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'README.md', content: 'Lamps\n' }],
  });
  const projectPath = String(project['path_with_namespace']);
  let branches = 0;
  return {
    projectId,
    projectPath,
    clientKey: String(clientKey),
    push: async (body) => {
      const authorization = `Basic ${Buffer.from(`oauth2:${target.token}`).toString('base64')}`;
      const headers = { 'Content-Type': 'application/x-git-receive-pack-request', Authorization: authorization };
      await send({ method: 'POST', path: `/${projectPath}.git/git-receive-pack`, headers, body });
    },
    call,
    issue: async (more = {}) => {
      const { iid } = await call('POST', `${api}/issues`, { title: 'A long one', ...more });
      return { api: `${api}/issues/${Number(iid)}`, page: `/${projectPath}/-/issues/${Number(iid)}` };
    },
    mergeRequest: async () => {
      branches += 1;
      const branch = `change-${branches}`;
      await call('POST', `${api}/repository/commits`, {
        branch,
        start_branch: 'main',
        commit_message: 'Change',
        actions: [{ action: 'create', file_path: `change-${branches}.txt`, content: 'changed\n' }],
      });
      const { iid } = await call('POST', `${api}/merge_requests`, {
        source_branch: branch,
        target_branch: 'main',
        title: branch,
      });
      return `${api}/merge_requests/${Number(iid)}`;
    },
  };
}

/** Returns a share of a limit that is proportional to the length of the body: all of it for the full length. */
function shareOf(limit: number, bytes: number): number {
  return Math.floor((limit * Math.min(bytes, MAX_BODY_BYTES)) / MAX_BODY_BYTES);
}

/** Returns a text of about `bytes` bytes that repeats a piece. */
function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));
}

/** Returns numbered pieces, joined to about `bytes` bytes. */
function counted(piece: (index: number) => string, separator: string, bytes: number): string {
  const count = Math.floor(bytes / (piece(100_000).length + separator.length));
  return Array.from({ length: count }, (_, index) => piece(index)).join(separator);
}

/** Returns the body of `bodyOf`, cut to at most `bytes` bytes, because escapes make JSON longer than its text. */
function fitted(bytes: number, bodyOf: (size: number) => string): string {
  let size = bytes;
  let body = bodyOf(size);
  while (body.length > bytes) {
    size = Math.min(size - 1, Math.floor((size * bytes) / body.length));
    body = bodyOf(size);
  }
  return body;
}

function fittedJson(bytes: number, valueOf: (size: number) => object): string {
  return fitted(bytes, (size) => JSON.stringify(valueOf(size)));
}

/** Returns a list of names of about ten characters that is about `bytes` long as JSON. */
function names(bytes: number): string[] {
  return Array.from({ length: Math.floor(bytes / 11) }, (_, index) => `label${index}`);
}

function texts(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

function numbers(bytes: number): number[] {
  return Array.from({ length: Math.floor(bytes / 6.5) }, (_, index) => index + 1);
}

/** A comment, sent as a body of `type`. */
function comment(
  name: string,
  type: Readonly<Record<string, string>>,
  bodyOf: (bytes: number) => string,
  status: number,
): LongRequest {
  return {
    name,
    status,
    prepare: async ({ issue }, bytes) => ({
      method: 'POST',
      path: `${(await issue()).api}/notes`,
      headers: type,
      body: bodyOf(bytes),
    }),
  };
}

const jsonComment = (name: string, textOf: (bytes: number) => string, status = 201): LongRequest =>
  comment(`comment: ${name}`, json, (bytes) => fittedJson(bytes, (size) => ({ body: textOf(size) })), status);

/** The same form or JSON as a comment, with and without credentials. */
function raw(
  name: string,
  type: Readonly<Record<string, string>>,
  bodyOf: (bytes: number) => string,
  status = 400,
): LongRequest[] {
  return [
    comment(name, type, bodyOf, status),
    {
      name: `${name}, without credentials`,
      status: 401,
      prepare: ({ projectId }, bytes) => ({
        method: 'POST',
        path: `/api/v4/projects/${projectId}/issues/1/notes`,
        headers: { ...type, 'PRIVATE-TOKEN': '' },
        body: bodyOf(bytes),
      }),
    },
  ];
}

const graphql = (body: string): Sent => ({ method: 'POST', path: '/api/graphql', headers: json, body });

const membersOf = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));

function multipart(part: (index: number) => string, bytes: number, boundary: string): string {
  const count = Math.floor(bytes / (part(100_000).length + boundary.length + 4));
  const parts = Array.from({ length: count }, (_, index) => `--${boundary}\r\n${part(index)}\r\n`);
  return `${parts.join('')}--${boundary}--\r\n`;
}

const field = (name: string): string => `Content-Disposition: form-data; name="${name}"\r\n\r\n1`;

/** An update of an issue or merge request by JSON. */
function change(name: string, of: 'issue' | 'merge request', valuesOf: (bytes: number) => object, status = 200): LongRequest {
  return {
    name: `${of}: ${name}`,
    status,
    prepare: async ({ issue, mergeRequest }, bytes) => ({
      method: 'PUT',
      path: of === 'issue' ? (await issue()).api : await mergeRequest(),
      headers: json,
      body: fittedJson(bytes, valuesOf),
    }),
  };
}

/** Wraps a text into lines of a hundred characters, because only whole lines are rendered. */
function inLines(text: string): string {
  return text.includes('\n') ? text : (text.match(/.{1,100}/g) ?? []).join('\n');
}

/** A page of an issue with a long description: a quarter of `bytes`, because longer texts are not rendered. */
function page(name: string, textOf: (bytes: number) => string): LongRequest {
  return {
    name: `page: ${name}`,
    status: 200,
    prepare: async ({ issue }, bytes) => ({
      method: 'GET',
      path: (await issue({ description: inLines(textOf(Math.floor(bytes / 4))) })).page,
      headers: { 'PRIVATE-TOKEN': '' },
    }),
  };
}

let files = 0;

/** The page of a long file, or of the commit that adds it. */
function code(name: string, kind: 'blob' | 'commit', extension: string, textOf: (bytes: number) => string): LongRequest {
  return {
    name: `${kind === 'blob' ? 'file' : 'diff'}: ${name}`,
    status: 200,
    prepare: async ({ call, projectId, projectPath }, bytes) => {
      files += 1;
      const file = `long-${files}.${extension}`;
      const commit = (size: number): object => ({
        branch: 'main',
        commit_message: 'Add',
        actions: [{ action: 'create', file_path: file, content: textOf(size) }],
      });
      const { id } = await call('POST', `/api/v4/projects/${projectId}/repository/commits`, fittedJson(bytes, commit));
      return {
        method: 'GET',
        path: `/${projectPath}/-/${kind === 'blob' ? `blob/main/${file}` : `commit/${String(id)}`}`,
        headers: { 'PRIVATE-TOKEN': '' },
      };
    },
  };
}

/** An event or envelope of an SDK. */
function ingested(name: string, kind: 'envelope' | 'store', bodyOf: (bytes: number) => string, status = 200): LongRequest {
  return {
    name: `tracked: ${name}`,
    status,
    settledBy: ({ projectId }) => ({ method: 'GET', path: `/api/v4/projects/${projectId}/error_tracking/errors?per_page=1` }),
    prepare: ({ projectId, clientKey }, bytes) => ({
      method: 'POST',
      path: `/api/v4/error_tracking/collector/api/${projectId}/${kind}/`,
      headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${clientKey}`, 'Content-Encoding': 'gzip' },
      body: gzipSync(bodyOf(bytes)),
    }),
  };
}

const event = (more: object): string => JSON.stringify({ platform: 'python', level: 'error', ...more });

function repeated<T>(one: (index: number) => T, bytes: number): T[] {
  const size = JSON.stringify(one(100_000)).length + 1;
  return Array.from({ length: Math.floor(bytes / size) }, (_, index) => one(index));
}

function nested(bytes: number, open: string, close: string): string {
  const count = Math.floor(bytes / (open.length + close.length));
  return `${open.repeat(count)}${close.repeat(count)}`;
}

const frame = (index: number): object => ({ filename: `app/f${index}.py`, function: `f${index}`, lineno: index, in_app: true });

const envelopeOf = (type: string, payload: string, bytes: number): string =>
  `{}\n${filled(`${JSON.stringify({ type })}\n${payload}\n`, bytes)}`;

/** Returns `count` pieces with about `bytes` bytes in total. */
function padded(count: number, separator: string, bytes: number, piece: (index: number, padding: string) => string): string {
  const length = Math.floor(bytes / Math.max(1, count)) - piece(100_000, '').length - separator.length;
  const padding = 'a'.repeat(Math.max(0, length));
  return Array.from({ length: count }, (_, index) => piece(index, padding)).join(separator);
}

/** Commits with the maximum number of actions. */
function manyActions(name: string, content: (bytes: number) => string, folderOf: (index: number) => string): LongRequest {
  return {
    name: `at the limit: ${name}`,
    status: 201,
    prepare: ({ projectId }, bytes) => {
      files += 1;
      const folder = files;
      return {
        method: 'POST',
        path: `/api/v4/projects/${projectId}/repository/commits`,
        headers: json,
        body: JSON.stringify({
          branch: `actions-${folder}`,
          start_branch: 'main',
          commit_message: 'Add',
          actions: Array.from({ length: shareOf(5000, bytes) }, (_, index) => ({
            action: 'create',
            file_path: `${folderOf(index)}f${index}`,
            content: content(bytes),
          })),
        }),
      };
    },
  };
}

/** Requests with the maximum amount of something. */
const requestsAtLimits: readonly LongRequest[] = [
  comment(
    'at the limit: form fields',
    form,
    (bytes) => `body=a&${padded(shareOf(4095, bytes), '&', bytes, (index, padding) => `f${index}=${padding}`)}`,
    201,
  ),
  comment(
    'at the limit: multipart parts',
    { 'Content-Type': 'multipart/form-data; boundary=b' },
    (bytes) =>
      multipart((index) => field(index === 0 ? 'body' : `f${index}`), shareOf(4095 * (field('f100000').length + 5), bytes), 'b'),
    201,
  ),
  comment(
    'at the limit: JSON members',
    json,
    (bytes) => `{"body":"a",${padded(shareOf(4095, bytes), ',', bytes, (index, padding) => `"m${index}":"${padding}"`)}}`,
    201,
  ),
  comment(
    'at the limit: JSON values',
    json,
    (bytes) => `{"body":"a","more":[${filled('1,', 2 * shareOf(99_990, bytes))}1]}`,
    201,
  ),
  comment(
    'at the limit: JSON depth',
    json,
    (bytes) => `{"body":"a","more":[${filled(`${nested(196, '[', ']')},`, shareOf(180_000, bytes))}1]}`,
    201,
  ),
  jsonComment(
    'at the limit: label commands of new labels',
    (bytes) =>
      texts('/label ', shareOf(100, bytes))
        .map((command, index) => command.replace(/\d+$/, texts(`~n${index}-`, 9).join(' ')))
        .join('\n'),
    202,
  ),
  jsonComment('at the limit: title commands', (bytes) => texts('/title a', shareOf(100, bytes)).join('\n'), 202),
  jsonComment(
    'at the limit: assign commands',
    (bytes) => padded(shareOf(100, bytes), '\n', bytes, () => `/assign ${filled('@root ', 9000)}`),
    202,
  ),
  jsonComment(
    'at the limit: commands of a kind each',
    (bytes) => texts('/close\n/reopen\n/label ~k', shareOf(33, bytes)).join('\n'),
    202,
  ),
  ...(['issue', 'merge request'] as const).flatMap((of) => [
    change('at the limit: new labels', of, (bytes) => ({
      labels: texts(`${of.slice(0, 1)}${(files += 1)}-`, shareOf(1000, bytes)),
    })),
    change('at the limit: labels that are removed', of, (bytes) => ({ remove_labels: texts('r', shareOf(5000, bytes)) })),
    change('at the limit: assignees', of, (bytes) => ({ assignee_ids: numbers(bytes).slice(0, shareOf(200, bytes)) })),
  ]),
  manyActions(
    'actions of a commit',
    () => 'a',
    () => '',
  ),
  manyActions(
    'actions of a commit with a folder each',
    () => 'a',
    (index) => `d${index}/e/`,
  ),
  ingested('at the limit: tags', 'store', (bytes) => event({ tags: membersOf(shareOf(9_900, bytes)) })),
  ingested('at the limit: contexts', 'store', (bytes) =>
    event({ contexts: Object.fromEntries(texts('c', shareOf(9_900, bytes)).map((key) => [key, { a: 1 }])) }),
  ),
  ingested('at the limit: modules', 'store', (bytes) => event({ message: 'a', modules: membersOf(shareOf(9_900, bytes)) })),
  ingested('at the limit: extra', 'store', (bytes) =>
    event({ message: 'a', extra: Object.fromEntries(repeated((index) => [`e${index}`, membersOf(50)], bytes / 8)) }),
  ),
  ingested('at the limit: brackets', 'store', (bytes) =>
    event({ message: 'a', extra: { a: 0 } }).replace(
      '"a":0',
      `"a":[${filled(`${nested(1980, '[', ']')},`, shareOf(190_000, bytes))}0]`,
    ),
  ),
  ingested('at the limit: objects in one another', 'store', (bytes) =>
    event({ message: 'a', extra: { a: 0 } }).replace(
      '"a":0',
      `"a":[${filled(`${filled('{"a":', 4950)}1${filled('}', 990)},`, shareOf(590_000, bytes))}0]`,
    ),
  ),
];

/** Requests with long, well-formed bodies, or that show a long text. */
export const longRequests: readonly LongRequest[] = [
  ...requestsAtLimits,
  ...raw('plain form fields', form, (bytes) => counted((index) => `f${index}=1`, '&', bytes)),
  ...raw('numeric form names', form, (bytes) => counted((index) => `${index}=1`, '&', bytes)),
  ...raw('form array', form, (bytes) => filled('a[]=1&', bytes)),
  ...raw('form hashes', form, (bytes) => counted((index) => `a[${index}]=1`, '&', bytes)),
  ...raw('form brackets', form, (bytes) => filled('[', bytes)),
  ...raw('percent-encoded form', form, (bytes) => `body=${filled('%41', bytes)}`, 201),
  ...raw('form without values', form, (bytes) => filled('&', bytes)),
  ...raw('multipart parts', { 'Content-Type': 'multipart/form-data; boundary=b' }, (bytes) =>
    multipart((index) => field(`f${index}`), bytes, 'b'),
  ),
  ...raw('multipart parts of one name', { 'Content-Type': 'multipart/form-data; boundary=b' }, (bytes) =>
    multipart(() => field('body'), bytes, 'b'),
  ),
  ...raw(
    'multipart part that looks like boundaries',
    { 'Content-Type': 'multipart/form-data; boundary=b' },
    (bytes) => multipart(() => `${field('body')}${filled('\r\n--', bytes)}`, bytes * 1.001, 'b'),
    201,
  ),
  ...raw(
    'multipart headers',
    { 'Content-Type': 'multipart/form-data; boundary=b' },
    (bytes) => multipart(() => `${counted((index) => `X-${index}: 1`, '\r\n', bytes)}\r\n${field('body')}`, bytes * 1.001, 'b'),
    400,
  ),
  ...raw('JSON members', json, (bytes) => `{${counted((index) => `"m${index}":1`, ',', bytes)}}`),
  ...raw('numeric JSON members', json, (bytes) => `{${counted((index) => `"${index * 7}":1`, ',', bytes)}}`),
  ...raw('JSON brackets', json, (bytes) => nested(bytes, '[', ']')),
  ...raw('JSON objects in one another', json, (bytes) => `${filled('{"a":', (bytes * 5) / 6)}1${filled('}', bytes / 6)}`),
  ...raw('JSON empty objects', json, (bytes) => `{"a":[${filled('{},', bytes)}{}]}`),
  ...raw('JSON digits', json, (bytes) => `{"body":${filled('7', bytes)}}`, 201),
  ...raw('JSON escapes', json, (bytes) => `{"body":"${filled('\\u0041', bytes)}"}`, 201),
  jsonComment('label commands', (bytes) => filled('/label ~a\n', bytes), 400),
  jsonComment('label commands of other labels', (bytes) => counted((index) => `/label ~l${index}`, '\n', bytes), 400),
  jsonComment('one label command of many labels', (bytes) => `/label ${counted((index) => `~l${index}`, ' ', bytes)}`, 202),
  jsonComment('assign commands', (bytes) => filled('/assign @root\n', bytes), 400),
  jsonComment('one assign command of many users', (bytes) => `/assign ${counted((index) => `@p${index}`, ' ', bytes)}`, 202),
  jsonComment('unlabel commands', (bytes) => filled('/unlabel ~a\n', bytes), 400),
  jsonComment('title commands', (bytes) => filled('/title a\n', bytes), 400),
  jsonComment('command with spaces', (bytes) => `/label a${filled(' ', bytes)}a`, 202),
  jsonComment('names that end with dots', (bytes) => `/assign @a${filled('.', bytes)}a`, 202),
  jsonComment('mentions', (bytes) => filled('@a #1 !1 ', bytes)),
  jsonComment('empty lines', (bytes) => `a${filled('\n', bytes / 2)}a`),
  {
    name: 'merge request: label commands',
    status: 400,
    prepare: async ({ mergeRequest }, bytes) => ({
      method: 'POST',
      path: `${await mergeRequest()}/notes`,
      headers: json,
      body: fittedJson(bytes, (size) => ({ body: filled('/label ~a\n', size) })),
    }),
  },
  {
    name: 'merge request: approve commands',
    status: 400,
    prepare: async ({ mergeRequest }, bytes) => ({
      method: 'POST',
      path: `${await mergeRequest()}/notes`,
      headers: json,
      body: fittedJson(bytes, (size) => ({ body: filled('/approve\n/unapprove\n', size) })),
    }),
  },
  ...(['issue', 'merge request'] as const).flatMap((of) => [
    change('labels in a text', of, (bytes) => ({ labels: filled('a,', bytes) }), 400),
    change('other labels', of, (bytes) => ({ labels: names(bytes) }), 400),
    change('labels that are added', of, (bytes) => ({ add_labels: names(bytes) }), 400),
    change('labels that are removed', of, (bytes) => ({ remove_labels: names(bytes) }), 400),
    change('assignees', of, (bytes) => ({ assignee_ids: numbers(bytes) }), 400),
    change('empty lines in a description', of, (bytes) => ({ description: `a${filled('\n', bytes / 2)}a` })),
    change('tasks in a description', of, (bytes) => ({ description: filled('- [ ] a\n', bytes) })),
    change('title', of, (bytes) => ({ title: filled('a', bytes) }), 400),
  ]),
  change('reviewers', 'merge request', (bytes) => ({ reviewer_ids: numbers(bytes) }), 400),
  page('brackets', (bytes) => filled('[', bytes)),
  page('table of many columns', (bytes) => {
    const columns = Math.floor(bytes / 20);
    return `${filled('|a', columns * 2)}|\n${filled('|-', columns * 2)}|\n${filled('|b', columns * 2)}|\n`;
  }),
  page('table of many rows', (bytes) => `|a|b|\n|-|-|\n${filled('|1|2|\n', bytes)}`),
  page('table whose rows lack cells', (bytes) => {
    const columns = Math.floor(Math.sqrt(bytes));
    return `${filled('|a', columns)}|\n${filled('|-', columns)}|\n${filled('|\n', bytes)}`;
  }),
  page('emphasis', (bytes) => filled('*a ', bytes)),
  page('emphasis of both kinds', (bytes) => filled('*_a ', bytes)),
  page('strikes', (bytes) => filled('~~a ', bytes)),
  page('links', (bytes) => filled('[a](b) ', bytes)),
  page('open links', (bytes) => filled('[a](', bytes)),
  page('images', (bytes) => filled('![', bytes)),
  page('backquotes', (bytes) => filled(`${Array.from({ length: 100 }, (_, index) => '`'.repeat(index + 1)).join(' ')} `, bytes)),
  page('quotes in quotes', (bytes) => filled('>', bytes)),
  page('lists in lists', (bytes) => filled('- ', bytes)),
  page('deep lists', (bytes) => counted((index) => `${' '.repeat((index % 300) * 2)}- a`, '\n', bytes)),
  page('link definitions', (bytes) => counted((index) => `[a${index}]: b`, '\n', bytes)),
  page('angle brackets', (bytes) => filled('<', bytes)),
  page('addresses', (bytes) => filled('http://a.b ', bytes)),
  page('one address', (bytes) => `http://${filled('a.', bytes)}`),
  page('mail addresses', (bytes) => filled('mailto:a@b ', bytes)),
  page('mentions', (bytes) => filled('@a #1 !1 ', bytes)),
  page('other mentions', (bytes) => counted((index) => `@p${index}`, ' ', bytes)),
  page('headings', (bytes) => filled('# a\n', bytes)),
  page('empty lines', (bytes) => `a${filled('\n', bytes / 2)}a`),
  page('a long line', (bytes) => filled('a', bytes)),
  page('spaces', (bytes) => `a${filled(' ', bytes)}a`),
  page('tabs', (bytes) => filled('\t', bytes).concat('a')),
  page('entities', (bytes) => filled('&amp', bytes)),
  page('backslashes', (bytes) => filled('\\', bytes)),
  page('colons', (bytes) => filled('a:', bytes)),
  page('at signs', (bytes) => filled('a@', bytes)),
  code('one line', 'blob', 'txt', (bytes) => filled('a', bytes)),
  code('many lines', 'blob', 'txt', (bytes) => filled('a\n', bytes)),
  code('markdown of brackets', 'blob', 'md', (bytes) => filled('[', bytes)),
  code('markdown of a long line', 'blob', 'md', (bytes) => filled('a ', bytes)),
  code('one line', 'commit', 'txt', (bytes) => filled('a', bytes)),
  code('many lines', 'commit', 'txt', (bytes) => filled('a\n', bytes)),
  {
    name: 'commit of many files',
    status: 400,
    prepare: ({ projectId }, bytes) => {
      files += 1;
      const folder = files;
      return {
        method: 'POST',
        path: `/api/v4/projects/${projectId}/repository/commits`,
        headers: json,
        body: fittedJson(bytes, (size) => ({
          branch: `files-${folder}`,
          start_branch: 'main',
          commit_message: 'Add',
          actions: repeated((index) => ({ action: 'create', file_path: `f${folder}/${index}`, content: 'a' }), size),
        })),
      };
    },
  },
  {
    name: 'commit of one file',
    status: 201,
    prepare: ({ projectId }, bytes) => {
      files += 1;
      return {
        method: 'POST',
        path: `/api/v4/projects/${projectId}/repository/commits`,
        headers: json,
        body: fittedJson(bytes, (size) => ({
          branch: `file-${files}`,
          start_branch: 'main',
          commit_message: 'Add',
          actions: [{ action: 'create', file_path: 'a', content: filled('a\n', size) }],
        })),
      };
    },
  },
  ...(
    [
      ['message', (bytes) => commitWith(filled('word ', 20 * bytes))],
      ['author', (bytes) => commitWith('Long', `${filled('A', 5 * bytes)} <a@b> 1700000000 +0000`)],
    ] satisfies [string, (bytes: number) => readonly PackedObject[]][]
  ).map(
    ([name, objectsOf]): LongRequest => ({
      name: `list of commits: long ${name}`,
      status: 200,
      prepare: async ({ projectId, push }, bytes) => {
        files += 1;
        const objects = objectsOf(bytes);
        await push(pushOf([[NO_OBJECT, objects[0]?.id ?? '', `refs/heads/${name}-${files}`]], objects));
        return { method: 'GET', path: `/api/v4/projects/${projectId}/repository/commits?ref_name=${name}-${files}` };
      },
    }),
  ),
  {
    name: 'GraphQL: policy file',
    status: 200,
    prepare: async ({ projectPath, call }, bytes) => {
      const project = await call('POST', '/api/v4/projects', { name: `Policies ${(files += 1)}`, initialize_with_readme: true });
      const policy = '- name: x\n  enabled: true\n  rules: []\n  actions: []\n';
      const content = `# ${files}\nscan_execution_policy:\n${filled(policy, bytes - 1000)}`;
      const file = encodeURIComponent('.gitlab/security-policies/policy.yml');
      const path = `/api/v4/projects/${Number(project['id'])}/repository/files/${file}`;
      await call('POST', path, { branch: 'main', commit_message: 'Add', content });
      const ask = (query: string): string => JSON.stringify({ query });
      const input = `{ fullPath: "${projectPath}", securityPolicyProjectId: "gid://gitlab/Project/${Number(project['id'])}" }`;
      await call('POST', '/api/graphql', ask(`mutation { securityPolicyProjectAssign(input: ${input}) { errors } }`));
      const fields = ['a', 'b', 'c'].map((name) => `${name}: scanExecutionPolicies { nodes { name } }`).join(' ');
      return {
        method: 'POST',
        path: '/api/graphql',
        headers: json,
        body: ask(`{ project(fullPath: "${projectPath}") { ${fields} } }`),
      };
    },
  },
  {
    name: 'snippet of many files',
    status: 400,
    prepare: (_, bytes) => ({
      method: 'POST',
      path: '/api/v4/snippets',
      headers: json,
      body: fittedJson(bytes, (size) => ({
        title: 'a',
        files: repeated((index) => ({ file_path: `f${index}`, content: 'a' }), size),
      })),
    }),
  },
  {
    name: 'time',
    status: 400,
    prepare: async ({ issue }, bytes) => ({
      method: 'POST',
      path: `${(await issue()).api}/time_estimate`,
      headers: json,
      body: fittedJson(bytes, (size) => ({ duration: filled('1h', size) })),
    }),
  },
  {
    name: 'digits of a time',
    status: 400,
    prepare: async ({ issue }, bytes) => ({
      method: 'POST',
      path: `${(await issue()).api}/time_estimate`,
      headers: json,
      body: fittedJson(bytes, (size) => ({ duration: filled('1', size) })),
    }),
  },
  ...(
    [
      ['fields', 200, (length: number) => `{ currentUser { ${filled('id ', length)} } }`],
      ['brackets', 200, (length: number) => nested(length, '{a', '}')],
      ['aliases', 200, (length: number) => `{ ${counted((index) => `a${index}: currentUser { id }`, ' ', length)} }`],
      ['comments', 200, (length: number) => `{ currentUser { id } } ${filled('#\n', length)}`],
      ['names', 200, (length: number) => filled('a ', length)],
    ] as const
  ).map(
    ([name, status, queryOf]): LongRequest => ({
      name: `GraphQL: query of ${name}`,
      status,
      prepare: (_, bytes) => graphql(JSON.stringify({ query: queryOf(shareOf(9_800, bytes)) })),
    }),
  ),
  {
    name: 'GraphQL: query that is too large',
    status: 422,
    prepare: (_, bytes) => graphql(fittedJson(shareOf(262_000, bytes), (size) => ({ query: filled('a ', size) }))),
  },
  {
    name: 'GraphQL: variables',
    status: 200,
    prepare: (_, bytes) =>
      graphql(
        fittedJson(shareOf(262_000, bytes), (size) => ({
          query: 'query($a: ID) { currentUser { id } }',
          variables: membersOf(Math.floor(size / 10)),
        })),
      ),
  },
  ingested('sessions', 'envelope', (bytes) =>
    envelopeOf(
      'session',
      '{"sid":"c45a2bd8d3c64ad2a9ce4c9dcb1a1a59","init":true,"started":"2026-01-01T00:00:00Z","status":"ok"}',
      bytes,
    ),
  ),
  ingested('events', 'envelope', (bytes) => envelopeOf('event', '{"message":"a"}', bytes)),
  ingested('events of their own kind', 'envelope', (bytes) =>
    counted(
      (index) =>
        `${JSON.stringify({ type: 'event' })}\n${event({
          exception: {
            values: [{ type: `T${index}`, value: `v${index}`, stacktrace: { frames: [frame(index), frame(index + 1)] } }],
          },
          tags: { a: index, b: 1 },
          extra: { text: 'a'.repeat(500) },
        })}`,
      '\n',
      bytes,
    ).replace(/^/, '{}\n'),
  ),
  ingested('empty items', 'envelope', (bytes) => envelopeOf('event', '{}', bytes)),
  ingested('items that are not stored', 'envelope', (bytes) => envelopeOf('attachment', 'a', bytes)),
  ingested('reports', 'envelope', (bytes) =>
    envelopeOf('client_report', '{"discarded_events":[{"reason":"a","category":"b","quantity":1}]}', bytes),
  ),
  ingested('reasons of one report', 'envelope', (bytes) =>
    envelopeOf(
      'client_report',
      JSON.stringify({
        discarded_events: repeated((index) => ({ reason: `r${index}`, category: 'error', quantity: 1 }), bytes / 5),
      }),
      1,
    ),
  ),
  ingested('session buckets', 'envelope', (bytes) =>
    envelopeOf(
      'sessions',
      JSON.stringify({
        attrs: { release: 'a@1' },
        aggregates: repeated(
          (index) => ({ started: new Date(1_790_000_000_000 + index * 60_000).toISOString(), exited: 1, did: `d${index}` }),
          bytes,
        ),
      }),
      1,
    ),
  ),
  ingested('message', 'store', (bytes) => event({ message: filled('a', bytes - 200) })),
  ingested('message of numbers', 'store', (bytes) => event({ message: filled('1 0x1f 2026-01-01 ', bytes - 200) })),
  ingested('message of secrets', 'store', (bytes) => event({ message: filled('"password":"', bytes / 2) })),
  ingested('message of open quotes', 'store', (bytes) => event({ message: filled("'a':\\\"x", bytes / 2) })),
  ingested('exceptions', 'store', (bytes) =>
    event({ exception: { values: repeated((index) => ({ type: `T${index}`, value: 'v' }), bytes - 200) } }),
  ),
  ingested('frames', 'store', (bytes) =>
    event({ exception: { values: [{ type: 'T', value: 'v', stacktrace: { frames: repeated(frame, bytes - 300) } }] } }),
  ),
  ingested('name of a frame', 'store', (bytes) =>
    event({
      exception: {
        values: [
          {
            type: 'T',
            value: 'v',
            stacktrace: { frames: [{ function: `${filled('a', bytes - 300)}!`, filename: filled('./', 10) }] },
          },
        ],
      },
    }),
  ),
  ingested('breadcrumbs', 'store', (bytes) =>
    event({ breadcrumbs: { values: repeated((index) => ({ message: `m${index}` }), bytes - 200) } }),
  ),
  ingested(
    'tags',
    'store',
    (bytes) => event({ tags: Object.fromEntries(repeated((index) => `t${index}`, bytes / 2).map((key) => [key, '1'])) }),
    413,
  ),
  ingested('tags in pairs', 'store', (bytes) =>
    event({ tags: repeated((index) => [`t${index}`, 'a value of some length'], bytes - 200) }),
  ),
  ingested('brackets', 'store', (bytes) => event({ extra: { a: 0 } }).replace('0', nested(bytes - 200, '[', ']')), 400),
  ingested(
    'objects in one another',
    'store',
    (bytes) => event({ extra: { a: 0 } }).replace('0', nested(bytes - 200, '{"a":', '}').replace(':}', ':1}')),
    400,
  ),
  ingested(
    'contexts',
    'store',
    (bytes) => event({ contexts: Object.fromEntries(repeated((index) => `c${index}`, bytes / 3).map((key) => [key, { a: 1 }])) }),
    413,
  ),
  ingested('fingerprint', 'store', (bytes) =>
    event({ message: 'a', fingerprint: repeated((index) => `f${index}`, bytes - 200) }),
  ),
  ingested('query string', 'store', (bytes) =>
    event({ message: 'a', request: { url: 'http://a', query_string: filled('a=1&', bytes - 300) } }),
  ),
  ingested(
    'modules',
    'store',
    (bytes) =>
      event({ message: 'a', modules: Object.fromEntries(repeated((index) => `m${index}`, bytes / 2).map((key) => [key, '1'])) }),
    413,
  ),
  ingested('threads', 'store', (bytes) =>
    event({
      message: 'a',
      threads: {
        values: repeated((index) => ({ id: index, stacktrace: { frames: [{ function: 'a' }] } }), shareOf(790_000, bytes)),
      },
    }),
  ),
  {
    name: 'source map',
    status: 201,
    prepare: ({ projectId }, bytes) => ({
      method: 'POST',
      path: `/api/v4/projects/${projectId}/error_tracking/source_maps`,
      headers: json,
      body: fittedJson(bytes, (size) => ({
        file: JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: filled('AAAA;', size - 200) }),
        name: 'a.js.map',
      })),
    }),
  },
  {
    name: 'source map of many sources',
    status: 201,
    prepare: ({ projectId }, bytes) => ({
      method: 'POST',
      path: `/api/v4/projects/${projectId}/error_tracking/source_maps`,
      headers: json,
      body: fittedJson(bytes, (size) => ({
        file: JSON.stringify({
          version: 3,
          sources: repeated((index) => `s${index}.ts`, size),
          names: [],
          mappings: 'AAAA',
        }),
        name: 'b.js.map',
      })),
    }),
  },
  {
    name: 'OAuth parameters',
    status: 400,
    prepare: (_, bytes) => ({
      method: 'POST',
      path: '/oauth/token',
      headers: { ...form, 'PRIVATE-TOKEN': '' },
      body: counted((index) => `p${index}=1`, '&', Math.min(bytes, 65_000)),
    }),
  },
  {
    name: 'fields of a page',
    status: 403,
    prepare: (_, bytes) => ({
      method: 'POST',
      path: '/users/sign_in',
      headers: { ...form, 'PRIVATE-TOKEN': '' },
      body: counted((index) => `p${index}=1`, '&', Math.min(bytes, 65_000)),
    }),
  },
  ...(
    [
      ['labels of a list', (length: number) => `/api/v4/issues?scope=all&labels=${counted((index) => `l${index}`, ',', length)}`],
      ['search of a list', (length: number) => `/api/v4/issues?scope=all&search=${filled('a%20', length)}`],
      ['wildcards of a search', (length: number) => `/api/v4/issues?scope=all&search=${filled('%25a', length)}`],
      ['numbers of a list', (length: number) => `/api/v4/issues?scope=all&${filled('iids[]=1&', length / 3)}`],
      ['question marks', (length: number) => `/api/v4/version?a=${filled('?', length)}`],
      ['encoded question marks', (length: number) => `/api/v4/version?a=${filled('%3F', length)}`],
      ['parameters', (length: number) => `/api/v4/events?${counted((index) => `p${index}=1`, '&', length)}`],
      ['slashes of a path', (length: number) => `/api/v4/projects/${filled('%2F', length)}`, 404],
      ['segments of a path', (length: number) => `/${filled('a/', length)}-/blob/${filled('b/', 100)}`, 303],
      ['dots of a range', (length: number) => `/root/long-requests/-/compare/${filled('...', length)}`, 404],
    ] as const
  ).map(
    ([name, pathOf, status = 200]): LongRequest => ({
      name: `query: ${name}`,
      status,
      prepare: (_, bytes) => ({ method: 'GET', path: pathOf(Math.floor((bytes / 1_000_000) * 7_500)) }),
    }),
  ),
  ...(
    [
      ['cookies', 'Cookie', (length: number) => counted((index) => `c${index}=1`, '; ', length)],
      ['authorization', 'Authorization', (length: number) => `Bearer ${filled(' ', length)}a b`],
      ['basic authorization', 'Authorization', (length: number) => `Basic ${filled('=', length)}`],
      ['tags that may match', 'If-None-Match', (length: number) => filled('W/"a",', length)],
      ['accepted types', 'Accept', (length: number) => filled('a/b,', length)],
      ['sender', 'X-Sentry-Auth', (length: number) => `Sentry ${filled('a=b,', length)}`],
    ] as const
  ).map(
    ([name, header, valueOf]): LongRequest => ({
      name: `header: ${name}`,
      status: 200,
      prepare: ({ projectId }, bytes) => ({
        method: 'GET',
        path: header === 'Cookie' ? '/users/sign_in' : `/api/v4/projects/${projectId}`,
        headers: { 'PRIVATE-TOKEN': '', [header]: valueOf(Math.floor((bytes / 1_000_000) * 14_000)) },
      }),
    }),
  ),
];
