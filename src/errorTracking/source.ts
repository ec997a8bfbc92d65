import type { ErrorStatus, TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';

export const ERROR_ORDERS = ['last_seen', 'first_seen', 'frequency'] as const;
export type ErrorOrder = (typeof ERROR_ORDERS)[number];

export interface ErrorQuery {
  readonly order: ErrorOrder;
  /** These five are ignored by sources without filters, which list all unresolved errors. */
  readonly statuses: readonly ErrorStatus[];
  readonly level: string | undefined;
  readonly environment: string | undefined;
  readonly release: string | undefined;
  /** User ID, or whether anybody is assigned. */
  readonly assignee?: number | 'None' | 'Any' | undefined;
  /** Text to search for. */
  readonly search: string | undefined;
}

export type FacetKind = 'environment' | 'release';

/** Features beyond reading unresolved errors. */
export interface ErrorAbilities {
  /** Lists errors by status, level, environment and release. */
  readonly filters: boolean;
  readonly changesStatus: boolean;
}

export interface ErrorPage {
  readonly items: readonly TrackedError[];
  /** Number of pages that the response stands for; 1 by default. */
  readonly pages?: number;
  /** Argument for `follow`; undefined on the last page. */
  readonly next: string | undefined;
  /** True if error tracking is disabled for the project. */
  readonly isDisabled: boolean;
  /** True if the instance has no error tracking at all. */
  readonly isMissing?: true;
  readonly abilities: ErrorAbilities;
}

/** Source of the errors of a project. All methods reject with an `ApiFailure`. */
export interface ErrorSource {
  /** Lists the first page, or if possible several pages with one request. */
  readonly list: (query: ErrorQuery, signal?: AbortSignal, pages?: number) => Promise<ErrorPage>;
  readonly follow: (query: ErrorQuery, next: string, signal?: AbortSignal) => Promise<ErrorPage>;
  /** Returns the environments or releases in which an error occurred. */
  readonly facet: (id: string, kind: FacetKind, signal?: AbortSignal) => Promise<readonly string[]>;
  /** Returns the stack of the latest event of an error, innermost frame first. */
  readonly frames: (id: string, signal?: AbortSignal) => Promise<readonly TrackedFrame[]>;
}

/** ID and path with which requests name a project. */
export interface ProjectAddress {
  /** ID, or the path if the ID is unknown. */
  readonly id: number | string;
  /** Full path, which GraphQL needs. */
  readonly path: string;
}

/** Project as an account sees it. Everything about its errors is read and changed with this account. */
export interface ErrorProject extends ProjectAddress {
  /** Account key. */
  readonly account: string;
}

/** Returns the key of the lists of a project. */
export function keyOfProject({ account, path }: Pick<ErrorProject, 'account' | 'path'>): string {
  return `${account}/${path}`;
}
