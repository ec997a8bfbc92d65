import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import { type ProjectBasic, readProjectBasic } from '../contract/projects.ts';

/** Names and addresses of projects, which events only number. */
export interface ProjectNames {
  readonly get: (id: number) => ProjectBasic | undefined;
  /** Names of an earlier time, which do until newer ones are learned. */
  readonly remember: (projects: readonly ProjectBasic[]) => void;
  /** Learns the projects that are not known yet. True when it learned anything. Never rejects: a number does as a name. */
  readonly learn: (ids: readonly number[]) => Promise<boolean>;
}

/** So many single questions at once, when the list of the person's projects does not answer. */
const AT_ONCE = 4;

/** Asks first for the list of the account's projects, in one request, and for single projects only when they are not in it. */
export function createProjectNames(client: Client): ProjectNames {
  const known = new Map<number, ProjectBasic>();
  const remembered = new Map<number, ProjectBasic>();
  const asked = new Set<number>();
  let own: Promise<void> | undefined;

  async function learnOwn(): Promise<void> {
    const query = { membership: true, simple: true, per_page: 100, order_by: 'last_activity_at' };
    const { items } = await client.list('/projects', readProjectBasic, query);
    for (const project of items) known.set(project.id, project);
  }

  async function learnOne(id: number): Promise<void> {
    asked.add(id);
    try {
      known.set(id, await client.get(apiPath`/projects/${id}`, readProjectBasic));
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      // One that is gone or hidden stays a number; any other failure may pass.
      if (failure.kind !== 'notFound' && failure.kind !== 'forbidden') asked.delete(id);
    }
  }

  return {
    get: (id) => known.get(id) ?? remembered.get(id),
    remember: (projects) => {
      for (const project of projects) remembered.set(project.id, project);
    },
    learn: async (ids) => {
      const before = known.size;
      const missing = (): number[] => [...new Set(ids)].filter((id) => !known.has(id) && !asked.has(id));
      if (missing().length === 0) return false;
      own ??= learnOwn().catch(() => {
        own = undefined;
      });
      await own;
      const rest = missing();
      for (let at = 0; at < rest.length; at += AT_ONCE) await Promise.all(rest.slice(at, at + AT_ONCE).map(learnOne));
      return known.size > before;
    },
  };
}
