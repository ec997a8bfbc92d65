import { randomBytes } from 'node:crypto';
import { HOUR } from '../../core/clock.ts';
import { invalidRecord, refusedChange } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import type { NamePattern } from './matching.ts';
import { isDigest, isRepositoryName, isTagName } from './names.ts';
import {
  allTags,
  deleteRepositoryRow,
  deleteTags,
  insertRepository,
  isTaken,
  markCleaned,
  repositoryById,
  type RepositoryRow,
  tagByName,
  type TagRow,
  writeTag,
} from './store.ts';

export type ContainerRepository = RepositoryRow;
export type ContainerTag = TagRow;

/** Adds a repository to a project. Throws 400 for an invalid or taken name. */
export function createContainerRepository(core: Core, { project }: FoundProject, name: string): ContainerRepository {
  const { store } = core;
  if (!isRepositoryName(name)) throw invalidRecord({ name: ['is invalid'] });
  return store.transaction(() => {
    if (isTaken(store, project.id, name)) throw invalidRecord({ name: ['has already been taken'] });
    return mustFind(core, insertRepository(store, project.id, name, core.clock.now()));
  });
}

function mustFind(core: Core, id: number): ContainerRepository {
  const found = repositoryById(core.store, id);
  if (found === undefined) throw new Error(`container repository ${id} does not exist`);
  return found;
}

export function findContainerRepository(core: Core, id: number): ContainerRepository | undefined {
  return repositoryById(core.store, id);
}

/** Deletes a repository with its tags. */
export function deleteContainerRepository(core: Core, { id }: Pick<ContainerRepository, 'id'>): void {
  deleteRepositoryRow(core.store, id);
}

export interface NewTag {
  readonly name: string;
  /** `sha256:` and 64 hexadecimal digits; random by default. */
  readonly digest?: string | undefined;
  /** 64 hexadecimal digits; random by default. */
  readonly revision?: string | undefined;
  /** Size in bytes. */
  readonly totalSize?: number | undefined;
  readonly createdAt?: number | undefined;
}

/** Adds a tag, or moves an existing tag to another image. Throws 400 for values that a registry would not accept. */
export function writeContainerTag(core: Core, { id }: Pick<ContainerRepository, 'id'>, input: NewTag): ContainerTag {
  const { name, digest = `sha256:${randomBytes(32).toString('hex')}`, totalSize = 0 } = input;
  const validationErrors = {
    ...(isTagName(name) ? {} : { name: ['is invalid'] }),
    ...(isDigest(digest) ? {} : { digest: ['is invalid'] }),
    ...(totalSize >= 0 ? {} : { total_size: ['must be greater than or equal to 0'] }),
  };
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  const row = {
    repository_id: id,
    name,
    digest,
    revision: input.revision ?? randomBytes(32).toString('hex'),
    total_size: totalSize,
    created_at: input.createdAt ?? core.clock.now(),
  };
  writeTag(core.store, row);
  return row;
}

export function findContainerTag(core: Core, { id }: Pick<ContainerRepository, 'id'>, name: string): ContainerTag | undefined {
  return tagByName(core.store, id, name);
}

export function deleteContainerTag(core: Core, tag: Pick<ContainerTag, 'repository_id' | 'name'>): void {
  deleteTags(core.store, tag.repository_id, [tag.name]);
}

export interface Cleaning {
  readonly matching: NamePattern;
  /** Tags that match this pattern are kept. */
  readonly keeping?: NamePattern | undefined;
  /** Number of newest matching tags to keep. */
  readonly keepNewest?: number | undefined;
  /** Minimum age in milliseconds. */
  readonly olderThan?: number | undefined;
}

/**
 * Deletes tags in bulk; `latest` is always kept. Throws 400 within an hour of the previous run, and for expressions that take too
 * long.
 */
export function cleanContainerTags(core: Core, repository: ContainerRepository, input: Cleaning): void {
  const { store } = core;
  const now = core.clock.now();
  const { cleaned_at: last } = repository;
  if (last !== null && now >= last && now - last < HOUR) {
    throw refusedChange(
      'This request has already been made. You can run this at most once an hour for a given container repository',
    );
  }
  const tags = allTags(store, repository.id);
  const names = tags.map(({ name }) => name);
  const requested = input.matching.of(names);
  const stored = input.keeping === undefined ? new Set<string>() : input.keeping.of(names);
  if (requested === undefined || stored === undefined) {
    throw refusedChange('The regular expression takes too long to match.', 'the match took too long and was stopped');
  }
  const before = now - (input.olderThan ?? 0);
  const gone = tags
    .filter(({ name }) => name !== 'latest' && requested.has(name) && !stored.has(name))
    .slice(Math.max(input.keepNewest ?? 0, 0))
    .filter((tag) => input.olderThan === undefined || tag.created_at < before);
  store.transaction(() => {
    markCleaned(store, repository.id, now);
    deleteTags(
      store,
      repository.id,
      gone.map(({ name }) => name),
    );
  });
}
