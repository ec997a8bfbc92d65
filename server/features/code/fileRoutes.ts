import type { GitCore } from '../../repositories/repositories.ts';
import { content } from '../../http/responses.ts';
import { blame, file, writtenFile } from './responses.ts';
import { createHash } from 'node:crypto';
import type { FileMetadata, RepositoryFile } from '../../../src/contract/repositories.ts';
import { jsonResponse, type RequestContext } from '../../http/requestContext.ts';
import { badRequest, notFound } from '../../core/errors.ts';
import {
  boolean,
  checked,
  fallback,
  filled,
  hash,
  integer,
  oneOf,
  type ParametersOf,
  required,
  string,
} from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import type { Action } from '../../repositories/actions.ts';
import { lineRange, MAX_BLAMED_BYTES, readBlame } from './blame.ts';
import { MAX_COMMIT_BYTES } from './commitRoutes.ts';
import { createCommit } from '../pushes/pushes.ts';
import { lastCommitOf, resolveRef } from '../git/git.ts';
import { type LargeBlob, largeBlob, largeResponse } from './largeBlobs.ts';
import { isTreePath, plainPath } from '../../repositories/names.ts';
import { entriesAt, type RepositoryDir, readBlob } from '../../repositories/objects.ts';
import { contentOf } from './parameters.ts';
import { rawResponse } from '../../http/fileContent.ts';
import { demandPushTo, type PushRequest, pushRoute, type ReadRequest, readRoute } from './route.ts';

/** Largest line number that git reads. */
const MAX_LINE = 2 ** 31 - 1;

const path = '/api/v4/projects/:id/repository/files/:file_path';
const metadata = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
const readMetadata = { ...metadata, method: 'GET', alsoScopes: ['read_repository'] } as const;

const fileParameters = () => ({ id: required(string), file_path: required(string), ref: filled() });
const rawParameters = () => ({ id: required(string), file_path: required(string), ref: fallback('HEAD', string) });
const lineParameter = () => checked(required(integer), (line) => line > 0 && line <= MAX_LINE, 'does not have a valid value');
const blameParameters = () => ({ ...fileParameters(), range: hash({ start: lineParameter(), end: lineParameter() }) });
const changeParameters = () => ({
  id: required(string),
  file_path: required(string),
  branch: filled(),
  commit_message: filled(),
  start_branch: string(),
  author_email: string(),
  author_name: string(),
});
const deleteParameters = () => ({ ...changeParameters(), last_commit_id: string() });
const writeParameters = () => ({
  ...deleteParameters(),
  content: required(string),
  encoding: fallback<'text' | 'base64'>('text', oneOf(['text', 'base64'])),
  execute_filemode: boolean(),
});

/** Routes that read and change one file of a repository. */
export function fileRoutes(core: GitCore): Route[] {
  const writeMetadata = { ...metadata, path, body: writtenFile, maxBody: MAX_COMMIT_BYTES, params: writeParameters };
  return [
    readRoute(core, { ...readMetadata, path, body: file, params: fileParameters }, (request) => showFile(core, request)),
    readRoute(core, { ...readMetadata, path: `${path}/raw`, body: content, params: rawParameters }, (request) =>
      sendRaw(core, request),
    ),
    readRoute(
      core,
      {
        ...readMetadata,
        path: `${path}/blame`,
        body: blame,
        params: blameParameters,
        pages: { by: 'none', because: 'the lines of a file are limited by their range' },
      },
      (request) => showBlame(core, request),
    ),
    pushRoute(core, { ...writeMetadata, method: 'POST' }, (request) => writeFile(core, request, 'create')),
    pushRoute(core, { ...writeMetadata, method: 'PUT' }, (request) => writeFile(core, request, 'update')),
    pushRoute(core, { ...metadata, method: 'DELETE', path, params: deleteParameters }, (request) =>
      commitChange(core, request, { action: 'delete', lastCommitId: request.params.last_commit_id }),
    ),
  ];
}

async function showFile(core: GitCore, request: ReadRequest<ParametersOf<typeof fileParameters>>): Promise<RawResponse> {
  const { params, project, repository } = request;
  const { metadata: reported, content } = await fileAt(core, repository, project, { path: params.file_path, ref: params.ref });
  const file: RepositoryFile = { ...reported, content: content.toString('base64') };
  return new RawResponse(jsonResponse(200, file, fileHeaders(reported)));
}

async function sendRaw(core: GitCore, request: ReadRequest<ParametersOf<typeof rawParameters>>): Promise<RawResponse> {
  const { params, project, repository, context } = request;
  const named = { path: params.file_path, ref: params.ref, largeFor: context };
  const { metadata: reported, content, large } = await fileAt(core, repository, project, named);
  const headers = fileHeaders(reported);
  if (large === undefined || repository === undefined) return new RawResponse(rawResponse(content, reported.file_name, headers));
  const options = { name: reported.file_name, headers, context };
  return new RawResponse(await largeResponse(repository, reported.blob_id, large, options));
}

async function showBlame(core: GitCore, request: ReadRequest<ParametersOf<typeof blameParameters>>): Promise<RawResponse> {
  const { params, project, repository, context } = request;
  const range = lineRange(params.range);
  const { metadata: reported } = await fileAt(core, repository, project, { path: params.file_path, ref: params.ref });
  if (repository === undefined) throw notFound('File');
  if (reported.size > MAX_BLAMED_BYTES) throw badRequest(`The file is larger than ${MAX_BLAMED_BYTES} bytes`);
  const isHead = context.method === 'HEAD';
  const lines = isHead ? [] : await readBlame(repository, reported.commit_id, reported.file_path, range);
  return new RawResponse(jsonResponse(200, lines, fileHeaders(reported)));
}

function writeFile(core: GitCore, request: PushRequest<ParametersOf<typeof writeParameters>>, action: 'create' | 'update') {
  const { content, encoding, execute_filemode: executable, last_commit_id: lastCommitId } = request.params;
  return commitChange(core, request, { action, content: contentOf(content, encoding), executable, lastCommitId });
}

/** Commits the change of the file that the request names. */
async function commitChange(
  core: GitCore,
  request: PushRequest<ParametersOf<typeof changeParameters>>,
  action: Omit<Action, 'path'>,
): Promise<{ readonly file_path: string; readonly branch: string }> {
  const { params, caller } = request;
  demandPushTo(core, request, params.branch);
  await createCommit(core, request, caller.user, {
    branch: params.branch,
    message: params.commit_message,
    actions: [{ ...action, path: plainPath(params.file_path) }],
    startBranch: params.start_branch,
    authorName: params.author_name,
    authorEmail: params.author_email,
  });
  return { file_path: params.file_path, branch: params.branch };
}

/** Finds a file of a commit. Throws `NotFound` for an unknown ref and for a path that is not a file. */
async function fileAt(
  core: GitCore,
  repository: RepositoryDir | undefined,
  project: Project,
  named: { readonly path: string; readonly ref: string; readonly largeFor?: RequestContext },
): Promise<{ readonly metadata: FileMetadata; readonly content: Buffer; readonly large: LargeBlob | undefined }> {
  const commit = await resolveRef(core, repository, project, named.ref);
  if (repository === undefined || commit === undefined) throw notFound('Commit');
  const file = plainPath(named.path);
  const entry = isTreePath(file) ? (await entriesAt(repository, commit, [file])).get(file) : undefined;
  const isBlob = entry?.type === 'blob';
  const large = isBlob && named.largeFor !== undefined ? await largeBlob(repository, entry.id, named.largeFor) : undefined;
  const content = large?.head ?? (isBlob ? await readBlob(repository, entry.id) : undefined);
  if (entry === undefined || content === undefined) throw notFound('File');
  return {
    content,
    large,
    metadata: {
      file_name: file.slice(file.lastIndexOf('/') + 1),
      file_path: file,
      size: large?.size ?? content.length,
      encoding: 'base64',
      content_sha256: large?.digest ?? createHash('sha256').update(content).digest('hex'),
      ref: named.ref,
      blob_id: entry.id,
      commit_id: commit,
      last_commit_id: (await lastCommitOf(repository, commit, file)) ?? commit,
      execute_filemode: entry.mode === '100755',
    },
  };
}

/** Returns the file metadata headers for HEAD requests. */
function fileHeaders(reported: FileMetadata): Record<string, string> {
  return {
    'X-Gitlab-Blob-Id': reported.blob_id,
    'X-Gitlab-Commit-Id': reported.commit_id,
    'X-Gitlab-Content-Sha256': reported.content_sha256,
    'X-Gitlab-Encoding': reported.encoding,
    'X-Gitlab-Execute-Filemode': String(reported.execute_filemode),
    'X-Gitlab-File-Name': headerText(reported.file_name),
    'X-Gitlab-File-Path': headerText(reported.file_path),
    'X-Gitlab-Last-Commit-Id': reported.last_commit_id,
    'X-Gitlab-Ref': headerText(reported.ref),
    'X-Gitlab-Size': String(reported.size),
  };
}

/** Percent-encodes a header value: headers cannot contain control characters or anything outside Latin-1. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURI(text.toWellFormed());
}
