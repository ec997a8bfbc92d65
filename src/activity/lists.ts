import { apiPath, type Query } from '../api/encode.ts';
import type { ActivityScope } from './choices.ts';
import type { ChosenProject } from './chosenProject.ts';
import { type ActivityFilter, filterQuery } from './filter.ts';

/** API address of a list of events. */
export interface ListAddress {
  /** Name of the list, independent of the filter. */
  readonly name: string;
  readonly path: string;
  readonly query: Query;
}

/** Events per page, about half a screen. */
const PAGE = 20;

export function listOfPerson(scope: ActivityScope, filter: ActivityFilter, now: Date): ListAddress {
  const query = { per_page: PAGE, ...filterQuery(filter, now) };
  switch (scope.kind) {
    case 'mine':
      return { name: 'mine', path: '/events', query };
    case 'all':
      return { name: 'all', path: '/events', query: { ...query, scope: 'all' } };
    case 'person':
      return { name: `person/${scope.id}`, path: apiPath`/users/${scope.id}/events`, query };
  }
}

export function listOfProject({ id, path }: ChosenProject, filter: ActivityFilter, now: Date): ListAddress {
  const project = id ?? path;
  return {
    name: `project/${project}`,
    path: apiPath`/projects/${project}/events`,
    query: { per_page: PAGE, ...filterQuery(filter, now) },
  };
}

/** Returns a key that is unique per account, list and filter. */
export function keyOfList(account: string, { name, query }: ListAddress): string {
  const restrictions = Object.entries(query).filter(([parameter]) => parameter !== 'per_page' && parameter !== 'scope');
  const text = restrictions.map(([parameter, value]) => `${parameter}=${String(value)}`).join('&');
  return text === '' ? `${account}/${name}` : `${account}/${name}?${text}`;
}
