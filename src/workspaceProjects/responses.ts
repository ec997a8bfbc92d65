import { apiPath } from '../api/encode.ts';
import { failureOfAny } from '../api/failures.ts';
import { readProjectBasic } from '../contract/projects.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { keyOfReference, type ProjectReference } from './references.ts';
import { createRequestQueue } from './requestQueue.ts';

/** What instances say about the projects of references. Each account is asked once about each. */
export interface ProjectResponses {
  /**
   * Returns the project as the first account sees it that can; undefined if none can. `pending` until that is known: an account is asked
   * only if `asks` is true.
   */
  readonly of: (
    reference: ProjectReference,
    accounts: readonly BoundAccount[],
    asks: boolean,
  ) => ErrorProject | 'pending' | undefined;
  /** Forgets the responses to other accounts, because whoever signs in again may see other projects. */
  readonly keepOnly: (accounts: readonly BoundAccount[]) => void;
}

type ProjectResponse =
  | { readonly kind: 'asked' | 'missing' }
  | { readonly kind: 'failed'; readonly at: number }
  | { readonly kind: 'found'; readonly project: { readonly id: number; readonly path: string } };

/** Milliseconds until an instance is asked again after a failure. */
const RETRY = 300_000;
/** Maximum number of requests at a time. */
const MAX_REQUESTS = 4;

/** `changed` is called when an response has arrived. */
export function createProjectResponses(changed: () => void): ProjectResponses {
  const queue = createRequestQueue(MAX_REQUESTS);
  /** By account key, and then by the key of the reference. */
  const responses = new Map<string, Map<string, ProjectResponse>>();

  async function ask(account: BoundAccount, own: Map<string, ProjectResponse>, reference: ProjectReference): Promise<void> {
    const key = keyOfReference(reference);
    own.set(key, { kind: 'asked' });
    try {
      const read = await queue(async () => account.client().get(apiPath`/projects/${reference.project}`, readProjectBasic));
      own.set(key, { kind: 'found', project: { id: read.id, path: read.path_with_namespace } });
    } catch (error) {
      const { kind } = failureOfAny(error);
      own.set(key, kind === 'notFound' || kind === 'forbidden' ? { kind: 'missing' } : { kind: 'failed', at: Date.now() });
    }
    changed();
  }

  return {
    of: (reference, accounts, asks) => {
      for (const account of accounts) {
        const own = responses.get(account.key) ?? new Map<string, ProjectResponse>();
        responses.set(account.key, own);
        const response = own.get(keyOfReference(reference));
        if (response?.kind === 'found') return { account: account.key, ...response.project };
        if (response?.kind === 'missing') continue;
        const isDue = response === undefined || (response.kind === 'failed' && Date.now() - response.at > RETRY);
        if (asks && isDue) void ask(account, own, reference);
        return 'pending';
      }
      return undefined;
    },
    keepOnly: (accounts) => {
      const keys = new Set(accounts.map(({ key }) => key));
      for (const key of responses.keys()) if (!keys.has(key)) responses.delete(key);
    },
  };
}
