import { createTag, findTag } from '../git/git.ts';
import { conflict, invalidRecord, notFound, refusedChange, unprocessable } from '../../http/failures.ts';
import type { User } from '../identity/identity.ts';
import { findMilestone, findMilestoneByTitle } from '../milestones/milestones.ts';
import type { Platform } from '../../platform.ts';
import { findProject, type FoundProject } from '../projects/projects.ts';
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
export function findRelease(platform: Platform, projectId: number, tag: string): Release | undefined {
  return releaseOf(platform.store, projectId, tag);
}

/** Returns the releases of some tags, by tag. */
export function releasesByTag(platform: Platform, projectId: number, tags: readonly string[]): ReadonlyMap<string, Release> {
  return new Map(releasesOfTags(platform.store, projectId, tags).map((release) => [release.tag, release]));
}

/**
 * Creates a release, and its tag if it does not exist and a ref is given. Throws 409 if the tag already has a release, 422 if the
 * tag does not exist and no ref is given, and 400 for invalid input. The caller has checked the permission to push.
 */
export async function createRelease(platform: Platform, found: FoundProject, user: User, input: NewRelease): Promise<Release> {
  const checked = checkedRelease(platform, found.project.id, input);
  const tag = findTag(platform, found.project.id, input.tag) ?? (await makeTag(platform, found, user, input));
  return addRelease(platform, found, user, checked, tag);
}

/**
 * Creates a release of an existing tag synchronously. Throws 422 if the tag does not exist, and otherwise like `createRelease`.
 */
export function releaseTag(
  platform: Platform,
  found: FoundProject,
  user: User,
  input: Omit<NewRelease, 'ref' | 'tagMessage'>,
): Release {
  const checked = checkedRelease(platform, found.project.id, input);
  const tag = findTag(platform, found.project.id, input.tag);
  if (tag === undefined) throw unprocessable('Ref is not specified', 'the tag does not exist');
  return addRelease(platform, found, user, checked, tag);
}

function refuseTaken(platform: Platform, projectId: number, tag: string): void {
  if (releaseOf(platform.store, projectId, tag) !== undefined) throw conflict('Release already exists');
}

function checkedRelease(platform: Platform, projectId: number, input: NewRelease) {
  refuseTaken(platform, projectId, input.tag);
  const values = { name: input.name ?? input.tag, description: input.description ?? null };
  checkTexts(values);
  const milestones = input.milestones === undefined ? [] : milestoneIds(platform, projectId, input.milestones);
  const links = (input.links ?? []).map(linkValues);
  for (const [index, link] of links.entries()) {
    const validationErrors = linkErrors(link, links.slice(0, index));
    const message = Object.entries(validationErrors).flatMap(([member, list]) => list.map((text) => `Links ${member} ${text}`));
    if (message.length > 0) throw refusedChange(`Validation failed: ${message.join(', ')}`);
  }
  return { values, milestones, links, releasedAt: input.releasedAt };
}

function addRelease(
  platform: Platform,
  found: FoundProject,
  user: User,
  { values, milestones, links, releasedAt }: ReturnType<typeof checkedRelease>,
  tag: Pick<NonNullable<ReturnType<typeof findTag>>, 'name' | 'commit_id'>,
): Release {
  const { store } = platform;
  const projectId = found.project.id;
  return store.transaction(() => {
    refuseTaken(platform, projectId, tag.name);
    if (findProject(platform, projectId, { user }) === undefined) throw notFound('Project');
    const now = platform.clock.now();
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
    return announceIfDue(platform, made, user.id);
  });
}

/** Returns the ids of the requested milestones; group milestones require Premium. Throws 400 for unknown ones. */
function milestoneIds(platform: Platform, projectId: number, input: RequestedMilestones): number[] {
  const container = { kind: 'project', id: projectId } as const;
  const withGroups = platform.profile.tier !== 'free';
  const missing: (string | number)[] = [];
  const ids: number[] = [];
  for (const key of 'titles' in input ? input.titles : input.ids) {
    const found =
      typeof key === 'string'
        ? findMilestoneByTitle(platform, container, key, withGroups)
        : findMilestone(platform, container, key, withGroups);
    if (found === undefined) missing.push(key);
    else ids.push(found.id);
  }
  if (missing.length > 0) throw refusedChange(`Milestone${'titles' in input ? '' : ' id'}(s) not found: ${missing.join(', ')}`);
  return ids;
}

function makeTag(platform: Platform, found: FoundProject, user: User, { tag, ref, tagMessage }: NewRelease) {
  if (ref === undefined || ref === '')
    throw unprocessable('Ref is not specified', 'the tag does not exist, and no ref to create it from was given');
  return createTag(platform, found, user, { name: tag, ref, message: tagMessage });
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

/** Updates a release; omitted values are kept. Throws 400 without any value and for invalid input. */
export function updateRelease(platform: Platform, release: Release, by: User, input: ReleaseInput): Release {
  if (Object.values(input).every((value) => value === undefined)) throw refusedChange('params is empty');
  const changed = {
    ...release,
    name: input.name ?? release.name,
    description: input.description ?? release.description,
    released_at: input.releasedAt ?? release.released_at,
    notice_at: release.notice_at === null ? null : (input.releasedAt ?? release.notice_at),
    updated_at: platform.clock.now(),
  };
  checkTexts(changed);
  const milestones = input.milestones === undefined ? undefined : milestoneIds(platform, release.project_id, input.milestones);
  return platform.store.transaction(() => {
    writeRelease(platform.store, changed);
    if (milestones !== undefined) writeMilestones(platform.store, release.id, milestones);
    return announceIfDue(platform, changed, by.id);
  });
}

/** Publishes a release whose date has come, unless that has happened already. Call in a transaction. */
function announceIfDue(platform: Platform, release: Release, authorId: number): Release {
  if (release.notice_at === null || release.notice_at > platform.clock.now()) return release;
  clearNotice(platform.store, release.id);
  const { id: releaseId, project_id: projectId } = release;
  platform.changes.publish({ kind: 'releasePublished', releaseId, projectId, authorId });
  return { ...release, notice_at: null };
}

/** Maximum number of releases published in one turn of the event loop. */
const SLICE = 50;

/** Schedules the publication of releases with a date in the future. */
export function schedulePublications(platform: Platform): void {
  const { store, schedule } = platform;
  schedule.add({
    name: 'upcoming releases',
    next: () => nextNotice(store),
    run: (now) =>
      store.transaction(() => {
        const due = releasesToAnnounce(store, now, SLICE);
        for (const release of due) announceIfDue(platform, release, release.author_id);
        return due.length === SLICE;
      }),
  });
}

/** Deletes a release; its tag is kept. */
export function deleteRelease(platform: Platform, release: Release): void {
  deleteReleaseRow(platform.store, release.id);
}

function linkValues({ name, url, filepath, linkType }: LinkInput): Omit<LinkRow, 'id' | 'release_id'> {
  return { name, url, filepath: filepath === undefined || filepath === '' ? null : filepath, link_type: linkType ?? 'other' };
}

/** Returns the links of a release, newest first. */
export function linksOf(platform: Platform, release: Release): ReleaseLink[] {
  return linksOfReleases(platform.store, [release.id]);
}

export function findLink(platform: Platform, release: Release, id: number): ReleaseLink | undefined {
  return linkById(platform.store, release.id, id);
}

/** Adds a link to a release. Throws 400 for invalid or taken values. */
export function createLink(platform: Platform, release: Release, input: LinkInput): ReleaseLink {
  const { store } = platform;
  return store.transaction(() => {
    const link = linkValues(input);
    checkLink(linkErrors(link, linksOf(platform, release)));
    const id = insertLink(store, { ...link, release_id: release.id });
    return { ...link, id, release_id: release.id };
  });
}

export type LinkChange = { readonly [Name in keyof LinkInput]?: LinkInput[Name] | undefined };

/** Updates a link; omitted values are kept. Throws 400 for invalid or taken values. */
export function updateLink(platform: Platform, release: Release, link: ReleaseLink, input: LinkChange): ReleaseLink {
  const { store } = platform;
  return store.transaction(() => {
    const changed: ReleaseLink = {
      ...link,
      name: input.name ?? link.name,
      url: input.url ?? link.url,
      filepath: input.filepath === undefined ? link.filepath : input.filepath === '' ? null : input.filepath,
      link_type: input.linkType ?? link.link_type,
    };
    checkLink(linkErrors(changed, linksOf(platform, release)));
    writeLink(store, changed);
    return changed;
  });
}

export function deleteLink(platform: Platform, link: ReleaseLink): void {
  deleteLinkRow(platform.store, link.id);
}

function checkLink(validationErrors: Record<string, string[]>): void {
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
}
