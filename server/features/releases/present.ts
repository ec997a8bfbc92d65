import type { GitCore } from '../../repositories/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import { openRepository } from '../git/git.ts';
import { archiveAddress, archiveFormats, presentCommit } from '../code/code.ts';
import { readCommits } from '../../repositories/objects.ts';

import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { milestonesById } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { markdown } from '../../web/markdown.ts';
import type { release, releaseLink } from './responses.ts';
import type { Release, ReleaseLink } from './manageReleases.ts';
import { issueCountsOf, linksOfReleases, milestonesOfReleases } from './store.ts';

/** Returns the path of the page of a release, without the server's origin. */
export function releaseAddress({ project }: Pick<FoundProject, 'project'>, tag: string): string {
  return `/${project.full_path}/-/releases/${encodeURIComponent(tag)}`;
}

export function presentLink(
  found: FoundProject,
  tag: string,
  link: ReleaseLink,
  baseUrl: string,
): ResponseOf<typeof releaseLink> {
  return {
    id: link.id,
    name: link.name,
    url: link.url,
    direct_asset_url: link.filepath === null ? link.url : `${baseUrl}${releaseAddress(found, tag)}/downloads${link.filepath}`,
    link_type: link.link_type,
  };
}

/** The permissions of the reader, and the base URL of the response. */
export interface ReleaseReader {
  readonly baseUrl: string;
  readonly caller: Pick<Caller, 'user'> | undefined;
}

/** Presents releases of a project, with code-related members only for readers who can read the code. */
export async function presentReleases(
  core: GitCore,
  found: FoundProject,
  releases: readonly Release[],
  { baseUrl, caller, withHtml = false }: ReleaseReader & { readonly withHtml?: boolean },
): Promise<ResponseOf<typeof release>[]> {
  const { project, can } = found;
  const now = core.clock.now();
  const person = peopleOf(core, baseUrl);
  const ids = releases.map(({ id }) => id);
  const links = Map.groupBy(linksOfReleases(core.store, ids), (link) => link.release_id);
  const milestones = can.readMilestones ? presentMilestones(core, ids, { baseUrl, caller }) : undefined;
  const repository = can.readCode && releases.length > 0 ? await openRepository(core, project) : undefined;
  const commits =
    repository === undefined
      ? []
      : await readCommits(
          repository,
          releases.map((one) => one.commit_id),
        );
  return Promise.all(
    releases.map(async (one, index) => {
      const author = person(one.author_id);
      if (author === null) throw new Error(`the author of release ${one.id} does not exist`);
      const own = links.get(one.id) ?? [];
      const commit = commits[index];
      const brought = milestones?.get(one.id) ?? [];
      const sources = archiveFormats.map((format) => ({ format, url: `${baseUrl}${archiveAddress(project, one.tag, format)}` }));
      return {
        tag_name: one.tag,
        name: one.name,
        description: one.description,
        ...(withHtml ? { description_html: await descriptionHtml(one) } : {}),
        created_at: isoTime(one.created_at),
        released_at: isoTime(one.released_at),
        upcoming_release: one.released_at > now,
        author,
        ...(brought.length === 0 ? {} : { milestones: brought }),
        ...(commit === undefined
          ? {}
          : {
              commit: {
                ...presentCommit(commit, project, baseUrl),
                parent_ids: [...commit.parents],
                trailers: {},
                extended_trailers: {},
              },
              commit_path: `/${project.full_path}/-/commit/${one.commit_id}`,
              tag_path: `/${project.full_path}/-/tags/${encodeURIComponent(one.tag)}`,
            }),
        assets: {
          count: own.length + (commit === undefined ? 0 : sources.length),
          ...(commit === undefined ? {} : { sources }),
          links: own.map((link) => presentLink(found, one.tag, link, baseUrl)),
        },
        _links: { self: `${baseUrl}${releaseAddress(found, one.tag)}` },
      };
    }),
  );
}

type PresentedMilestone = NonNullable<ResponseOf<typeof release>['milestones']>[number];

/** Returns the milestones of some releases, by release, with the numbers of issues that the caller can read. */
function presentMilestones(
  core: Core,
  releaseIds: readonly number[],
  { baseUrl, caller }: ReleaseReader,
): ReadonlyMap<number, PresentedMilestone[]> {
  const rows = milestonesOfReleases(core.store, releaseIds);
  const ids = rows.map((row) => row.milestone_id);
  const known = milestonesById(core, ids, baseUrl);
  const seen = { viewer: viewerId(caller), readable: readableIssuesSql(accessOf(caller)) };
  const counts = new Map(issueCountsOf(core.store, ids, seen).map((row) => [row.milestone_id, row]));
  const presented = new Map<number, PresentedMilestone[]>();
  for (const { release_id: releaseId, milestone_id: id } of rows) {
    const milestone = known.get(id);
    if (milestone === undefined) continue;
    const { total = 0, closed = 0 } = counts.get(id) ?? {};
    const own = presented.get(releaseId) ?? [];
    own.push({ ...milestone, issue_stats: { total, closed } });
    presented.set(releaseId, own);
  }
  return presented;
}

/** Renders the notes of a release as HTML. Relative links are dropped, because it is unknown where the HTML will be shown. */
async function descriptionHtml({ description }: Release): Promise<string> {
  const nowhere = () => undefined;
  return String(await markdown(description ?? '', { link: nowhere, image: nowhere }, 1, { isForJson: true }));
}
