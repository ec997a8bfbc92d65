import { isoTime } from '../../../core/clock.ts';
import type { Core } from '../../../core/core.ts';
import { findUser } from '../../users/users.ts';
import type { LinkedLabel } from '../../labels/labels.ts';
import { type Project, projectAddresses, projectById } from '../../projectAccess/projectAccess.ts';
import type { Completion } from '../completion.ts';

// Parts that several payloads have in common, in the format of GitLab.

/** A payload, and what it still needs of the repository. */
export interface NewPayload {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly completion?: Completion;
}

/** The project of a payload, and the address of the server. */
export interface Place {
  readonly project: Project;
  readonly baseUrl: string;
}

/** Returns the project of an event, or undefined if it no longer exists. */
export function placeOf(core: Core & { readonly origin: { readonly value: string } }, projectId: number): Place | undefined {
  const project = projectById(core.store, projectId, 0);
  return project === undefined ? undefined : { project, baseUrl: core.origin.value };
}

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const;

export function projectMember({ project, baseUrl }: Place) {
  const { id, name, description } = project;
  const { web_url, ssh_url_to_repo: ssh, http_url_to_repo: http } = projectAddresses(project, baseUrl);
  return {
    id,
    name,
    description,
    web_url,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: project.namespace_name,
    visibility_level: visibilityLevels[project.visibility],
    path_with_namespace: project.full_path,
    default_branch: project.default_branch,
    ci_config_path: null,
    homepage: web_url,
    url: ssh,
    ssh_url: ssh,
    http_url: http,
  };
}

export function repositoryMember(place: Place) {
  const { name, url, description, homepage } = projectMember(place);
  return { name, url, description, homepage };
}

/** The repository in payloads of pushes and jobs. */
export function longRepositoryMember(place: Place) {
  const { git_http_url, git_ssh_url, visibility_level } = projectMember(place);
  return { ...repositoryMember(place), git_http_url, git_ssh_url, visibility_level };
}

/** Returns a user as payloads have it: with the public email address only. Null for a deleted user. */
export function userMember(core: Core, id: number | null) {
  const user = id === null ? undefined : findUser(core, id);
  if (user === undefined) return null;
  return { id: user.id, name: user.name, username: user.username, avatar_url: null, email: shownEmail(user) };
}

export function userMembers(core: Core, ids: readonly number[]) {
  return ids.map((id) => userMember(core, id)).filter((user) => user !== null);
}

function shownEmail({ public_email: email }: { readonly public_email: string }): string {
  return email === '' ? '[REDACTED]' : email;
}

export function labelMembers(labels: readonly LinkedLabel[]) {
  return labels.map(({ id, title, color, description, project_id, group_id }) => ({
    id,
    title,
    color,
    project_id,
    description,
    type: project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id,
  }));
}

/** `2015-05-17T18:08:09Z` */
export function isoSeconds(time: number): string {
  return isoTime(time).replace(/\.\d{3}Z$/, 'Z');
}

/** `2015-05-17 18:08:09 UTC` */
export function utc(time: number): string {
  return isoSeconds(time).replace('T', ' ').replace('Z', ' UTC');
}

export function utcOrNull(time: number | null): string | null {
  return time === null ? null : utc(time);
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the members that differ, as `{ previous, current }`. */
export function differences(before: Values, after: Values): Readonly<Record<string, { previous: unknown; current: unknown }>> {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(names.map((name) => [name, { previous: before[name], current: after[name] }]));
}
