import { apiPath, type Query } from '../api/encode.ts';
import type { ActivityScope } from './choices.ts';
import type { ChosenProject } from './chosenProject.ts';
import { type ActivityFilter, filterQueries } from './filter.ts';

/** API address of a list of events. Parts with different queries have no events in common. */
export interface ListAddress {
  /** Name of the list, independent of the filter. */
  readonly name: string;
  readonly path: string;
  /** One for each part of the list; the view merges them. */
  readonly queries: readonly Query[];
}

/** Events per page, about half a screen. */
const PAGE = 20;

export function listOfPerson(scope: ActivityScope, filter: ActivityFilter, now: Date): ListAddress {
  const queries = filterQueries(filter, now).map((query) => ({ per_page: PAGE, ...query }));
  switch (scope.kind) {
    case 'mine':
      return { name: 'mine', path: '/events', queries };
    case 'all':
      return { name: 'all', path: '/events', queries: queries.map((query) => ({ ...query, scope: 'all' })) };
    case 'person':
      return { name: `person/${scope.id}`, path: apiPath`/users/${scope.id}/events`, queries };
  }
}

export function listOfProject({ id, path }: ChosenProject, filter: ActivityFilter, now: Date): ListAddress {
  const project = id ?? path;
  return {
    name: `project/${project}`,
    path: apiPath`/projects/${project}/events`,
    queries: filterQueries(filter, now).map((query) => ({ per_page: PAGE, ...query })),
  };
}

/** Returns a key that is unique per account, list and filter. */
export function keyOfList(account: string, { name, queries }: ListAddress): string {
  const text = queries.map(restrictionsOf).join('|');
  return text === '' ? `${account}/${name}` : `${account}/${name}?${text}`;
}

function restrictionsOf(query: Query): string {
  const restrictions = Object.entries(query).filter(([parameter]) => parameter !== 'per_page' && parameter !== 'scope');
  return restrictions.map(([parameter, value]) => `${parameter}=${String(value)}`).join('&');
}
