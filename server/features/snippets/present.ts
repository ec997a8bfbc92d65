import { isoTime } from '../../core/clock.ts';
import { SINGLE_BRANCH } from '../singleBranchRepositories/singleBranchRepositories.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import { addressPath } from '../../web/addresses.ts';
import type { snippetResponse } from './responses.ts';
import { filesOf, type Snippet } from './manageSnippets.ts';
import { baseHost } from '../../support/baseHost.ts';

/** Returns the path of the page of a snippet, without the server's origin. */
export function snippetAddress({ id, project_path: project }: Snippet): string {
  return `${project === null ? '' : `/${project}`}/-/snippets/${id}`;
}

/** Returns the path of a raw file of a snippet, without the server's origin. */
export function rawAddress(snippet: Snippet, path: string): string {
  return `${snippetAddress(snippet)}/raw/${SINGLE_BRANCH}/${addressPath(path)}`;
}

export function presentSnippets(
  core: Core,
  snippets: readonly Snippet[],
  { baseUrl, caller }: { readonly baseUrl: string; readonly caller: Caller | undefined },
): ResponseOf<typeof snippetResponse>[] {
  const person = peopleOf(core, baseUrl);
  return snippets.map((snippet) => {
    const author = person(snippet.author_id);
    if (author === null) throw new Error(`the author of snippet ${snippet.id} does not exist`);
    const url = `${baseUrl}${snippetAddress(snippet)}`;
    const repository = `${snippet.project_path === null ? '' : `${snippet.project_path}/`}snippets/${snippet.id}.git`;
    const files = filesOf(snippet);
    return {
      id: snippet.id,
      title: snippet.title,
      description: snippet.description,
      visibility: snippet.visibility,
      author,
      created_at: isoTime(snippet.created_at),
      updated_at: isoTime(snippet.updated_at),
      project_id: snippet.project_id,
      web_url: url,
      raw_url: `${url}/raw`,
      ssh_url_to_repo: `git@${baseHost(baseUrl).hostname}:${repository}`,
      http_url_to_repo: `${baseUrl}/${repository}`,
      file_name: files[0] ?? '',
      files: files.map((path) => ({ path, raw_url: `${baseUrl}${rawAddress(snippet, path)}` })),
      imported: false,
      imported_from: 'none',
      ...(caller?.user.admin === 1 ? { repository_storage: snippet.storage } : {}),
    };
  });
}
