import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import type { Query } from '../api/encode.ts';
import { readGroupBasic } from '../contract/groups.ts';
import { readProjectBasic } from '../contract/projects.ts';
import { createSearchList, type SearchList, type SearchListSettings, type SearchPart } from '../ui/searchList.ts';

/** Project or group in a list. */
export interface ProjectOrGroup {
  /** Undefined if only the path is known; the API accepts either. */
  readonly id: number | undefined;
  readonly name: string;
  /** Full path, including the parent groups. */
  readonly path: string;
  /** Web page; undefined if it has not been requested. */
  readonly page?: string;
  /** Reason why it is suggested. */
  readonly reason?: string;
  /** Theme icon id. */
  readonly icon?: string;
}

export type ProjectOrGroupKind = 'project' | 'group';

type After = SearchListSettings<ProjectOrGroup>['after'];

/** Access level of maintainers. */
const MAINTAINER_ACCESS = 40;

/** Entries per page. */
const PAGE = 50;

/** Queries for memberships and for everything visible. The second list can be long, so it uses keyset pagination. */
const queries: Readonly<Record<ProjectOrGroupKind, readonly [ofMember: Query, ofOthers: Query]>> = {
  project: [
    { membership: true, simple: true, order_by: 'last_activity_at' },
    { simple: true, pagination: 'keyset', order_by: 'id', sort: 'desc' },
  ],
  // The API supports keyset pagination of groups only for unauthenticated requests.
  group: [{ min_access_level: 10 }, { all_available: true }],
};

export interface ProjectOrGroupListSettings {
  readonly client: Client;
  readonly kind: ProjectOrGroupKind;
  /** Suggestions, shown first. */
  readonly offered: readonly ProjectOrGroup[];
  readonly after: After;
  /** Further parameters of all queries. */
  readonly restriction?: Query;
  /** True if the projects that the account maintains come before its other ones. */
  readonly listsMaintainedFirst?: boolean;
}

/** Creates a searchable list of the projects or groups of an instance. */
export function createProjectOrGroupList(settings: ProjectOrGroupListSettings): SearchList<ProjectOrGroup> {
  const { client, kind, offered, after, restriction = {}, listsMaintainedFirst = false } = settings;
  const isProject = kind === 'project';
  const read = isProject ? readProject : readGroup;
  const path = isProject ? '/projects' : '/groups';
  const part = (heading: string, query: Query): SearchPart<ProjectOrGroup> => ({
    heading,
    first: (search, signal) =>
      client.list(path, read, { ...query, ...restriction, ...(search === '' ? {} : { search }), per_page: PAGE }, signal),
  });
  const [ofMember, ofOthers] = queries[kind];
  return createSearchList({
    parts: [
      ...(listsMaintainedFirst
        ? [part(l10n.t('Projects that you maintain'), { ...ofMember, min_access_level: MAINTAINER_ACCESS })]
        : []),
      part(isProject ? l10n.t('Your projects') : l10n.t('Your groups'), ofMember),
      part(isProject ? l10n.t('Other projects') : l10n.t('Other groups'), ofOthers),
    ],
    follow: (link, signal) => client.follow(link, read, signal),
    offered,
    keyOf: keyOfProjectOrGroup,
    textOf: ({ name, path: full }) => `${name} ${full}`,
    emptyText: isProject ? l10n.t('No projects available') : l10n.t('No groups available'),
    after,
  });
}

export function keyOfProjectOrGroup({ path }: ProjectOrGroup): string {
  return path;
}

function readProject(value: unknown): ProjectOrGroup | undefined {
  const project = readProjectBasic(value);
  return project && { id: project.id, name: project.name, path: project.path_with_namespace, page: project.web_url };
}

function readGroup(value: unknown): ProjectOrGroup | undefined {
  const group = readGroupBasic(value);
  return group && { id: group.id, name: group.name, path: group.full_path, page: group.web_url };
}
