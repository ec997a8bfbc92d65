import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import type { groupRepository, listedTag, repositoryDetail, tagResponse } from './responses.ts';
import { allTags, countTags, type RepositoryRow, sizeOf, type TagRow } from './store.ts';
import { baseHost } from '../../support/baseHost.ts';

/** Members that are only included on request. */
interface RequestedDetails {
  readonly tags?: boolean | undefined;
  readonly tagsCount?: boolean | undefined;
  readonly size?: boolean | undefined;
}

function pathOf({ project_path, name }: RepositoryRow): string {
  return `${project_path}${name === '' ? '' : `/${name}`}`.toLowerCase();
}

/** Returns the location for container clients: host, port and path without a scheme. */
function locationOf(repository: RepositoryRow, baseUrl: string): string {
  return `${baseHost(baseUrl).host}/${pathOf(repository)}`;
}

export function presentRepository(repository: RepositoryRow, baseUrl: string): ResponseOf<typeof groupRepository> {
  return {
    id: repository.id,
    name: repository.name,
    path: pathOf(repository),
    project_id: repository.project_id,
    location: locationOf(repository, baseUrl),
    created_at: isoTime(repository.created_at),
    cleanup_policy_started_at: null,
    status: null,
  };
}

export function presentRepositoryWith(
  core: Core,
  repository: RepositoryRow,
  requestedDetails: RequestedDetails,
  baseUrl: string,
): ResponseOf<typeof repositoryDetail> {
  const { store } = core;
  const { id } = repository;
  return {
    ...presentRepository(repository, baseUrl),
    ...(requestedDetails.tagsCount === true ? { tags_count: countTags(store, id, Number.MAX_SAFE_INTEGER) } : {}),
    ...(requestedDetails.tags === true
      ? { tags: allTags(store, id).map((tag) => presentListedTag(tag, repository, baseUrl)) }
      : {}),
    ...(requestedDetails.size === true ? { size: sizeOf(store, id) } : {}),
  };
}

export function presentListedTag({ name }: TagRow, repository: RepositoryRow, baseUrl: string): ResponseOf<typeof listedTag> {
  return { name, path: `${pathOf(repository)}:${name}`, location: `${locationOf(repository, baseUrl)}:${name}` };
}

export function presentTag(tag: TagRow, repository: RepositoryRow, baseUrl: string): ResponseOf<typeof tagResponse> {
  return {
    ...presentListedTag(tag, repository, baseUrl),
    revision: tag.revision,
    short_revision: tag.revision.slice(0, 9),
    digest: tag.digest,
    created_at: isoTime(tag.created_at),
    total_size: tag.total_size,
  };
}
