import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import { type ProjectBasic, readProjectBasic } from '../contract/projects.ts';

/** Names and URLs of projects; events contain only their ids. */
export interface ProjectNames {
  readonly get: (id: number) => ProjectBasic | undefined;
  /** Adds cached names, used until newer ones are loaded. */
  readonly remember: (projects: readonly ProjectBasic[]) => void;
  /** Loads unknown projects. Resolves to true if any was loaded. Never rejects: rows then show no project name. */
  readonly learn: (ids: readonly number[]) => Promise<boolean>;
}

/** Maximum number of parallel requests for single projects. */
const CONCURRENCY = 4;

/** Creates the names. Requests the account's project list once, and single projects only if they are not in it. */
export function createProjectNames(client: Client): ProjectNames {
  const known = new Map<number, ProjectBasic>();
  const remembered = new Map<number, ProjectBasic>();
  /** Requests of single projects, pending and done. */
  const requests = new Map<number, Promise<void>>();
  let own: Promise<void> | undefined;

  async function learnOwn(): Promise<void> {
    const query = { membership: true, simple: true, per_page: 100, order_by: 'last_activity_at' };
    const { items } = await client.list('/projects', readProjectBasic, query);
    for (const project of items) known.set(project.id, project);
  }

  async function learnOne(id: number): Promise<void> {
    const request = requests.get(id) ?? requestOne(id);
    requests.set(id, request);
    await request;
  }

  async function requestOne(id: number): Promise<void> {
    try {
      known.set(id, await client.get(apiPath`/projects/${id}`, readProjectBasic));
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      // A deleted or hidden project is not requested again; other failures may be temporary.
      if (!failure.isOwnWord || (failure.kind !== 'notFound' && failure.kind !== 'forbidden')) requests.delete(id);
    }
  }

  return {
    get: (id) => known.get(id) ?? remembered.get(id),
    remember: (projects) => {
      for (const project of projects) remembered.set(project.id, project);
    },
    learn: async (ids) => {
      const before = known.size;
      const missing = (): number[] => [...new Set(ids)].filter((id) => !known.has(id));
      if (missing().every((id) => requests.has(id))) {
        await Promise.all(missing().map(learnOne));
        return known.size > before;
      }
      own ??= learnOwn().catch(() => {
        own = undefined;
      });
      await own;
      const rest = missing();
      for (let at = 0; at < rest.length; at += CONCURRENCY) await Promise.all(rest.slice(at, at + CONCURRENCY).map(learnOne));
      return known.size > before;
    },
  };
}
