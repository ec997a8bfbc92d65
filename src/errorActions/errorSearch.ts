import * as l10n from '@vscode/l10n';
import type { Page } from '../api/client.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { ERROR_STATUSES } from '../contract/trackedErrors.ts';
import type { ErrorListSource } from '../errorTracking/model.ts';
import type { ErrorPage, ErrorProject, ErrorQuery } from '../errorTracking/source.ts';
import type { ErrorOfProject } from '../errorTracking/target.ts';
import { createSearchList, type SearchList } from '../ui/searchList.ts';

/** Project whose errors are searched. */
export interface SearchedProject extends Pick<ErrorListSource, 'query' | 'source'> {
  readonly project: ErrorProject;
}

/** Creates the list of the errors that contain the typed text, of all statuses. */
export function createErrorSearch(
  projects: readonly SearchedProject[],
  after: Parameters<typeof createSearchList<ErrorOfProject>>[0]['after'],
): SearchList<ErrorOfProject> {
  return createSearchList<ErrorOfProject>({
    parts: projects.map((one) => ({
      heading: one.project.path,
      first: async (search, signal) => pageOf(one, search, await one.source().list(queryOf(one, search), signal)),
    })),
    follow: async (link, signal) => {
      const position = readPosition(link);
      const one = projects.find(({ project }) => project.path === position?.path);
      if (one === undefined || position === undefined) return { items: [] };
      const { search, next } = position;
      return pageOf(one, search, await one.source().follow(queryOf(one, search), next, signal));
    },
    offered: [],
    keyOf,
    textOf: ({ error }) => `${error.title} ${error.culprit}`,
    emptyText: l10n.t('No errors found'),
    after,
  });
}

/** Returns a key that is unique in all projects. */
export function keyOf({ project, error }: ErrorOfProject): string {
  return JSON.stringify([project.path, error.id]);
}

/** Searches whatever the filter of the view is. */
function queryOf({ query }: SearchedProject, search: string): ErrorQuery {
  const anything = { level: undefined, environment: undefined, release: undefined, assignee: undefined };
  return { order: query.order, statuses: ERROR_STATUSES, ...anything, search: search.trim() === '' ? undefined : search.trim() };
}

function pageOf({ project }: SearchedProject, search: string, { items, next }: ErrorPage): Page<ErrorOfProject> {
  return {
    items: items.map((error) => ({ project, error })),
    ...(next === undefined ? {} : { next: JSON.stringify({ path: project.path, search, next }) }),
  };
}

function readPosition(link: string): { readonly path: string; readonly search: string; readonly next: string } | undefined {
  const value = parseJson(link);
  if (!isJsonObject(value)) return undefined;
  const [path, search, next] = [stringMember(value, 'path'), stringMember(value, 'search'), stringMember(value, 'next')];
  return path === undefined || next === undefined ? undefined : { path, search: search ?? '', next };
}
