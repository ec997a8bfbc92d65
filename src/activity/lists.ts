import { apiPath, type Query } from '../api/encode.ts';
import type { Whose } from './choices.ts';
import type { ChosenProject } from './chosenProject.ts';
import { type ActivityFilter, filterQuery } from './filter.ts';

/** One list of events of an account. */
export interface ListAddress {
  /** The same for the same list under any filter. */
  readonly name: string;
  readonly path: string;
  readonly query: Query;
}

/** Events of a page; a screen holds about twice as many rows. */
const PAGE = 20;

export function listOfPerson(whose: Whose, filter: ActivityFilter, now: Date): ListAddress {
  const query = { per_page: PAGE, ...filterQuery(filter, now) };
  switch (whose.kind) {
    case 'mine':
      return { name: 'mine', path: '/events', query };
    case 'all':
      return { name: 'all', path: '/events', query: { ...query, scope: 'all' } };
    case 'person':
      return { name: `person/${whose.id}`, path: apiPath`/users/${whose.id}/events`, query };
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

/** Tells one list under one filter from every other. */
export function keyOfList(account: string, { name, query }: ListAddress): string {
  const restrictions = Object.entries(query).filter(([parameter]) => parameter !== 'per_page' && parameter !== 'scope');
  const text = restrictions.map(([parameter, value]) => `${parameter}=${String(value)}`).join('&');
  return text === '' ? `${account}/${name}` : `${account}/${name}?${text}`;
}
