import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import type { commit as commitResponse } from './responses.ts';
import { titleOf } from '../../repositories/names.ts';
import type { CommitObject, Signature } from '../../repositories/objects.ts';

/** Number of characters of a short id. */
const SHORT = 8;

export function presentCommit(
  commit: Omit<CommitObject, 'tree'>,
  project: Pick<Project, 'full_path'>,
  baseUrl: string,
): ResponseOf<typeof commitResponse> {
  return {
    id: commit.id,
    short_id: commit.id.slice(0, SHORT),
    created_at: zonedTime(commit.committer),
    parent_ids: [...commit.parents],
    title: titleOf(commit.message),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: zonedTime(commit.author),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: zonedTime(commit.committer),
    trailers: {},
    extended_trailers: {},
    web_url: `${baseUrl}/${project.full_path}/-/commit/${commit.id}`,
  };
}

/** Formats a time as ISO 8601 in the zone of the author. */
function zonedTime({ seconds, zone }: Signature): string {
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return `${isoTime(seconds * 1000 + offset).slice(0, -1)}${sign}${hours}:${minutes}`;
}
