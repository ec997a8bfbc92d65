import { content } from '../http/answers.ts';
import { file, writtenFile } from './answers.ts';
import { createHash } from 'node:crypto';
import type { FileFacts, RepositoryFile } from '../../src/contract/repositories.ts';
import { jsonAnswer } from '../http/exchange.ts';
import { notFound } from '../http/failures.ts';
import { boolean, fallback, filled, oneOf, required, string } from '../http/params.ts';
import { Prepared, type Route, type SignedInRequest } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import type { FoundProject, Project } from '../projects/projects.ts';
import type { Action } from './actions.ts';
import { LARGEST_COMMIT } from './commitRoutes.ts';
import { createCommit, lastCommitOf, resolveRef } from './git.ts';
import { isTreePath, plainPath } from './names.ts';
import { entriesAt, type Place, readBlob } from './objects.ts';
import { contentOf } from './parameters.ts';
import { rawAnswer } from './raw.ts';
import { demandPushTo, pushRoute, readRoute } from './route.ts';

export function fileRoutes(platform: Platform): Route[] {
  const facts = { specRef: 'Repositories', status: 'inferred', key: 'id' } as const;
  const path = '/api/v4/projects/:id/repository/files/:file_path';
  const alsoScopes = ['read_repository'];
  const simple = () => ({
    id: required(string),
    file_path: required(string),
    branch: filled(),
    commit_message: filled(),
    start_branch: string(),
    author_email: string(),
    author_name: string(),
  });
  const extended = () => ({
    ...simple(),
    content: required(string),
    encoding: fallback<'text' | 'base64'>('text', oneOf(['text', 'base64'])),
    last_commit_id: string(),
    execute_filemode: boolean(),
  });

  /** A file as it is in a commit. Throws 404 for an unknown ref and for what is no file. */
  const fileAt = async (
    place: Place | undefined,
    project: Project,
    named: { readonly path: string; readonly ref: string },
  ): Promise<{ readonly facts: FileFacts; readonly content: Buffer }> => {
    const commit = await resolveRef(platform, place, project, named.ref);
    if (place === undefined || commit === undefined) throw notFound('Commit');
    const file = plainPath(named.path);
    const entry = isTreePath(file) ? (await entriesAt(place, commit, [file])).get(file) : undefined;
    const content = entry?.type === 'blob' ? await readBlob(place, entry.id) : undefined;
    if (entry === undefined || content === undefined) throw notFound('File');
    return {
      content,
      facts: {
        file_name: file.slice(file.lastIndexOf('/') + 1),
        file_path: file,
        size: content.length,
        encoding: 'base64',
        content_sha256: createHash('sha256').update(content).digest('hex'),
        ref: named.ref,
        blob_id: entry.id,
        commit_id: commit,
        last_commit_id: (await lastCommitOf(place, commit, file)) ?? commit,
        execute_filemode: entry.mode === '100755',
      },
    };
  };

  interface Written {
    readonly file_path: string;
    readonly branch: string;
    readonly commit_message: string;
    readonly start_branch: string | undefined;
    readonly author_email: string | undefined;
    readonly author_name: string | undefined;
  }
  const write = async (request: SignedInRequest<Written> & FoundProject, action: Omit<Action, 'path'>): Promise<unknown> => {
    const { params, caller } = request;
    demandPushTo(request, params.branch);
    await createCommit(platform, request, caller.user, {
      branch: params.branch,
      message: params.commit_message,
      actions: [{ ...action, path: plainPath(params.file_path) }],
      startBranch: params.start_branch,
      authorName: params.author_name,
      authorEmail: params.author_email,
    });
    return { file_path: params.file_path, branch: params.branch };
  };

  return [
    readRoute(
      platform,
      {
        ...facts,
        alsoScopes,
        method: 'GET',
        path,
        body: file,
        params: () => ({ id: required(string), file_path: required(string), ref: filled() }),
      },
      async ({ params, project, place }) => {
        const { facts: told, content } = await fileAt(place, project, { path: params.file_path, ref: params.ref });
        const file: RepositoryFile = { ...told, content: content.toString('base64') };
        return new Prepared(jsonAnswer(200, file, fileHeaders(told)));
      },
    ),
    readRoute(
      platform,
      {
        ...facts,
        alsoScopes,
        method: 'GET',
        path: `${path}/raw`,
        body: content,
        params: () => ({ id: required(string), file_path: required(string), ref: fallback('HEAD', string) }),
      },
      async ({ params, project, place }) => {
        const { facts: told, content } = await fileAt(place, project, { path: params.file_path, ref: params.ref });
        return new Prepared(rawAnswer(content, told.file_name, fileHeaders(told)));
      },
    ),
    ...(['POST', 'PUT'] as const).map((method) =>
      pushRoute(
        platform,
        { ...facts, method, path, body: writtenFile, largestBody: LARGEST_COMMIT, params: extended },
        (request) => {
          const { params } = request;
          return write(request, {
            action: method === 'POST' ? 'create' : 'update',
            content: contentOf(params.content, params.encoding),
            executable: params.execute_filemode,
            lastCommitId: params.last_commit_id,
          });
        },
      ),
    ),
    pushRoute(
      platform,
      { ...facts, method: 'DELETE', path, params: () => ({ ...simple(), last_commit_id: string() }) },
      (request) => write(request, { action: 'delete', lastCommitId: request.params.last_commit_id }),
    ),
  ];
}

/** The facts about a file, for whoever asks with HEAD. */
function fileHeaders(told: FileFacts): Record<string, string> {
  return {
    'X-Gitlab-Blob-Id': told.blob_id,
    'X-Gitlab-Commit-Id': told.commit_id,
    'X-Gitlab-Content-Sha256': told.content_sha256,
    'X-Gitlab-Encoding': told.encoding,
    'X-Gitlab-Execute-Filemode': String(told.execute_filemode),
    'X-Gitlab-File-Name': headerText(told.file_name),
    'X-Gitlab-File-Path': headerText(told.file_path),
    'X-Gitlab-Last-Commit-Id': told.last_commit_id,
    'X-Gitlab-Ref': headerText(told.ref),
    'X-Gitlab-Size': String(told.size),
  };
}

/** A header holds no control characters and nothing beyond Latin-1: what does is percent-encoded. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURI(text.toWellFormed());
}
