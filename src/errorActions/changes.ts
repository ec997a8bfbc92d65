import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { type Issue, readIssue } from '../contract/issues.ts';
import { type ErrorState, readTrackedError, type TrackedError } from '../contract/trackedErrors.ts';
import type { ProjectAddress } from '../errorTracking/source.ts';
import type { ResourceChoice } from '../errorTracking/sources.ts';

/** Status that an action sets, or a new value of another attribute. Null removes an assignee or issue. */
export type ErrorChange =
  | { readonly kind: 'status'; readonly state: ErrorState }
  | { readonly kind: 'assignee'; readonly userId: number | null }
  | { readonly kind: 'issue'; readonly iid: number | null }
  | { readonly kind: 'merge'; readonly others: readonly string[] }
  | { readonly kind: 'split'; readonly hash: string }
  | { readonly kind: 'undo'; readonly changeId: number };

/** Changes of the errors of a project. All methods reject with an `ApiFailure`. */
export interface ErrorChanges {
  /** Returns the error that has the data afterwards. Rejects with `CannotChange` if the instance has no API for it. */
  readonly apply: (errorId: string, change: ErrorChange) => Promise<TrackedError>;
  readonly createIssue: (title: string, description: string) => Promise<Issue>;
}

/** Failure of instances that have no API to change errors. */
export class CannotChange extends ApiFailure {
  constructor() {
    super('refused', l10n.t('On this instance, errors can only be changed in the browser.'));
  }
}

export function createErrorChanges(client: Client, project: ProjectAddress, { either }: ResourceChoice): ErrorChanges {
  const errors = apiPath`/projects/${project.id}/error_tracking/errors`;
  return {
    apply: (errorId, change) =>
      either(
        client,
        () => client.change(requestOf(`${errors}${apiPath`/${errorId}`}`, change), readTrackedError),
        () => Promise.reject(new CannotChange()),
      ),
    createIssue: (title, description) =>
      client.change({ method: 'POST', path: apiPath`/projects/${project.id}/issues`, body: { title, description } }, readIssue),
  };
}

function requestOf(path: string, change: ErrorChange): Parameters<Client['change']>[0] {
  switch (change.kind) {
    case 'status':
      return { method: 'PUT', path, body: { status: change.state.status, ...change.state.ignored } };
    case 'assignee':
      return { method: 'PUT', path, body: { assignee_id: change.userId ?? 0 } };
    case 'issue':
      return { method: 'PUT', path, body: { issue_iid: change.iid ?? 0 } };
    case 'merge':
      return { method: 'POST', path: `${path}/merge`, body: { fingerprints: change.others.map(Number) } };
    case 'split':
      return { method: 'POST', path: `${path}/split`, body: { hash: change.hash } };
    case 'undo':
      return { method: 'POST', path: `${path}/undo`, body: { change_id: change.changeId } };
  }
}
