import type { Contributions } from '../../core/contributions.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { createTag } from '../pushes/pushes.ts';
import { findTag } from '../git/git.ts';
import { conflict, invalidRecord, notFound, refusedChange, unprocessable } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { findMilestone, findMilestoneByTitle } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { linkErrors } from './rules.ts';
import {
  clearNotice,
  deleteLinkRow,
  deleteReleaseRow,
  insertLink,
  insertRelease,
  linkById,
  type LinkRow,
  linksOfReleases,
  nextNotice,
  type LinkType,
  releaseOf,
  type ReleaseRow,
  releasesOfTags,
  releasesToAnnounce,
  writeLink,
  writeMilestones,
  writeRelease,
  handOverReleases,
} from './store.ts';

export type Release = ReleaseRow;
export type ReleaseLink = LinkRow;

const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1024 * 1024;

export interface LinkInput {
  readonly name: string;
  readonly url: string;
  readonly filepath?: string | undefined;
  readonly linkType?: LinkType | undefined;
}

export interface NewRelease {
  readonly tag: string;
  /** Branch, tag or commit to create the tag from if it does not exist. */
  readonly ref?: string | undefined;
  readonly tagMessage?: string | undefined;
  /** Defaults to the tag. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly releasedAt?: number | undefined;
  readonly links?: readonly LinkInput[] | undefined;
  readonly milestones?: RequestedMilestones | undefined;
}

/** Milestones by title or by id. */
export type RequestedMilestones = { readonly titles: readonly string[] } | { readonly ids: readonly number[] };

/** Returns the release of a tag; undefined if there is none. */
export function findRelease(core: Core, projectId: number, tag: string): Release | undefined {
  return releaseOf(core.store, projectId, tag);
}

/** Returns the releases of some tags, by tag. */
export function releasesByTag(core: Core, projectId: number, tags: readonly string[]): ReadonlyMap<string, Release> {
  return new Map(releasesOfTags(core.store, projectId, tags).map((release) => [release.tag, release]));
}

/**
 * Creates a release, and its tag if it does not exist and a ref is given. Throws `Refused` if the tag already has a release, if the tag
 * does not exist and no ref is given, and for invalid input. The caller has checked the permission to push.
 */
export async function createRelease(core: GitCore, found: FoundProject, user: User, input: NewRelease): Promise<Release> {
  const checked = checkedRelease(core, found.project.id, input);
  const tag = findTag(core, found.project.id, input.tag) ?? (await makeTag(core, found, user, input));
  return addRelease(core, found, user, checked, tag);
}

/**
 * Creates a release of an existing tag synchronously. Throws `Refused` if the tag does not exist, and otherwise like `createRelease`.
 */
export function releaseTag(core: Core, found: FoundProject, user: User, input: Omit<NewRelease, 'ref' | 'tagMessage'>): Release {
  const checked = checkedRelease(core, found.project.id, input);
  const tag = findTag(core, found.project.id, input.tag);
  if (tag === undefined) throw unprocessable('Ref is not specified', 'the tag does not exist');
  return addRelease(core, found, user, checked, tag);
}

function refuseTaken(core: Core, projectId: number, tag: string): void {
  if (releaseOf(core.store, projectId, tag) !== undefined) throw conflict('Release already exists');
}

function checkedRelease(core: Core, projectId: number, input: NewRelease) {
  refuseTaken(core, projectId, input.tag);
  const values = { name: input.name ?? input.tag, description: input.description ?? null };
  checkTexts(values);
  const milestones = input.milestones === undefined ? [] : milestoneIds(core, projectId, input.milestones);
  const links = (input.links ?? []).map(linkValues);
  for (const [index, link] of links.entries()) {
    const validationErrors = linkErrors(link, links.slice(0, index));
    const message = Object.entries(validationErrors).flatMap(([member, list]) => list.map((text) => `Links ${member} ${text}`));
    if (message.length > 0) throw refusedChange(`Validation failed: ${message.join(', ')}`);
  }
  return { values, milestones, links, releasedAt: input.releasedAt };
}

function addRelease(
  core: Core,
  found: FoundProject,
  user: User,
  { values, milestones, links, releasedAt }: ReturnType<typeof checkedRelease>,
  tag: Pick<NonNullable<ReturnType<typeof findTag>>, 'name' | 'commit_id'>,
): Release {
  const { store } = core;
  const projectId = found.project.id;
  return store.transaction(() => {
    refuseTaken(core, projectId, tag.name);
    if (findProject(core, projectId, { user }) === undefined) throw notFound('Project');
    const now = core.clock.now();
    const id = insertRelease(store, {
      project_id: projectId,
      tag: tag.name,
      commit_id: tag.commit_id,
      ...values,
      author_id: user.id,
      created_at: now,
      updated_at: now,
      released_at: releasedAt ?? now,
      notice_at: releasedAt ?? now,
    });
    writeMilestones(store, id, milestones);
    for (const link of links) insertLink(store, { ...link, release_id: id });
    const made = releaseOf(store, projectId, tag.name);
    if (made === undefined) throw new Error(`release ${id} does not exist`);
    core.changes.publish({ kind: 'releaseCreated', releaseId: id, projectId });
    return announceIfDue(core, made, user.id);
  });
}

/** Returns the ids of the requested milestones; group milestones require Premium. Throws `Refused` for unknown ones. */
function milestoneIds(core: Core, projectId: number, input: RequestedMilestones): number[] {
  const container = { kind: 'project', id: projectId } as const;
  const withGroups = core.profile.tier !== 'free';
  const missing: (string | number)[] = [];
  const ids: number[] = [];
  for (const key of 'titles' in input ? input.titles : input.ids) {
    const found =
      typeof key === 'string'
        ? findMilestoneByTitle(core, container, key, withGroups)
        : findMilestone(core, container, key, withGroups);
    if (found === undefined) missing.push(key);
    else ids.push(found.id);
  }
  if (missing.length > 0) throw refusedChange(`Milestone${'titles' in input ? '' : ' id'}(s) not found: ${missing.join(', ')}`);
  return ids;
}

function makeTag(core: GitCore, found: FoundProject, user: User, { tag, ref, tagMessage }: NewRelease) {
  if (ref === undefined || ref === '')
    throw unprocessable('Ref is not specified', 'the tag does not exist, and no ref to create it from was given');
  return createTag(core, found, user, { name: tag, ref, message: tagMessage });
}

function checkTexts({ name, description }: { readonly name: string; readonly description: string | null }): void {
  if (name.length > MAX_NAME_LENGTH)
    throw refusedChange(`Validation failed: Name is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  if (description !== null && description.length > MAX_DESCRIPTION_LENGTH) {
    throw refusedChange(`Validation failed: Description is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`);
  }
}

export interface ReleaseInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly releasedAt?: number | undefined;
  /** Replaces all milestones of the release. */
  readonly milestones?: RequestedMilestones | undefined;
}

/** Updates a release; omitted values are kept. Throws `Refused` without any value and for invalid input. */
export function updateRelease(core: Core, release: Release, by: User, input: ReleaseInput): Release {
  if (Object.values(input).every((value) => value === undefined)) throw refusedChange('params is empty');
  const changed = {
    ...release,
    name: input.name ?? release.name,
    description: input.description ?? release.description,
    released_at: input.releasedAt ?? release.released_at,
    notice_at: release.notice_at === null ? null : (input.releasedAt ?? release.notice_at),
    updated_at: core.clock.now(),
  };
  checkTexts(changed);
  const milestones = input.milestones === undefined ? undefined : milestoneIds(core, release.project_id, input.milestones);
  return core.store.transaction(() => {
    writeRelease(core.store, changed);
    if (milestones !== undefined) writeMilestones(core.store, release.id, milestones);
    core.changes.publish({ kind: 'releaseUpdated', releaseId: release.id, projectId: release.project_id });
    return announceIfDue(core, changed, by.id);
  });
}

/** Publishes a release whose date has come, unless that has happened already. Call in a transaction. */
function announceIfDue(core: Core, release: Release, authorId: number): Release {
  if (release.notice_at === null || release.notice_at > core.clock.now()) return release;
  clearNotice(core.store, release.id);
  const { id: releaseId, project_id: projectId } = release;
  core.changes.publish({ kind: 'releasePublished', releaseId, projectId, authorId });
  return { ...release, notice_at: null };
}

/** Maximum number of releases published in one turn of the event loop. */
const SLICE = 50;

/** Schedules the publication of releases with a date in the future. */
export function schedulePublications(core: Core): void {
  const { store, schedule } = core;
  schedule.add({
    name: 'upcoming releases',
    next: () => nextNotice(store),
    run: (now) =>
      store.transaction(() => {
        const due = releasesToAnnounce(store, now, SLICE);
        for (const release of due) announceIfDue(core, release, release.author_id);
        return due.length === SLICE;
      }),
  });
}

/** Deletes a release; its tag is kept. */
export function deleteRelease(core: Core, release: Release): void {
  core.store.transaction(() => {
    core.changes.publish({ kind: 'releaseRemoved', releaseId: release.id, projectId: release.project_id });
    deleteReleaseRow(core.store, release.id);
  });
}

function linkValues({ name, url, filepath, linkType }: LinkInput): Omit<LinkRow, 'id' | 'release_id'> {
  return { name, url, filepath: filepath === undefined || filepath === '' ? null : filepath, link_type: linkType ?? 'other' };
}

/** Returns the links of a release, newest first. */
export function linksOf(core: Core, release: Release): ReleaseLink[] {
  return linksOfReleases(core.store, [release.id]);
}

export function findLink(core: Core, release: Release, id: number): ReleaseLink | undefined {
  return linkById(core.store, release.id, id);
}

/** Adds a link to a release. Throws `Invalid` for invalid or taken values. */
export function createLink(core: Core, release: Release, input: LinkInput): ReleaseLink {
  const { store } = core;
  return store.transaction(() => {
    const link = linkValues(input);
    checkLink(linkErrors(link, linksOf(core, release)));
    const id = insertLink(store, { ...link, release_id: release.id });
    return { ...link, id, release_id: release.id };
  });
}

export type LinkChange = { readonly [Name in keyof LinkInput]?: LinkInput[Name] | undefined };

/** Updates a link; omitted values are kept. Throws `Invalid` for invalid or taken values. */
export function updateLink(core: Core, release: Release, link: ReleaseLink, input: LinkChange): ReleaseLink {
  const { store } = core;
  return store.transaction(() => {
    const changed: ReleaseLink = {
      ...link,
      name: input.name ?? link.name,
      url: input.url ?? link.url,
      filepath: input.filepath === undefined ? link.filepath : input.filepath === '' ? null : input.filepath,
      link_type: input.linkType ?? link.link_type,
    };
    checkLink(linkErrors(changed, linksOf(core, release)));
    writeLink(store, changed);
    return changed;
  });
}

export function deleteLink(core: Core, link: ReleaseLink): void {
  deleteLinkRow(core.store, link.id);
}

function checkLink(validationErrors: Record<string, string[]>): void {
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
}

/** Releases of deleted accounts, which stay because they belong to the project. */
export const releaseContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverReleases(store, fromUserId, toUserId),
  remove: ({ store }, userId, toUserId) => handOverReleases(store, userId, toUserId),
};
