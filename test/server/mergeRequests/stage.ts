import assert from 'node:assert/strict';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import type { TestResponse, TestServer } from '../../support/server.ts';

/** A project with the branches main and topic, and users with every role. */
export interface Stage {
  readonly server: TestServer;
  readonly project: FoundProject;
  /** Owner. */
  readonly ada: Actor;
  /** Maintainer. */
  readonly mia: Actor;
  /** Developer. */
  readonly dev: Actor;
  /** Reporter. */
  readonly rita: Actor;
  /** Not a member. */
  readonly otto: Actor;
  send(method: string, path: string, who: Actor | undefined, json?: object): Promise<TestResponse>;
  /** Opens one from `topic` into `main` with the given attributes, and returns the response body. */
  open(who: Actor, input?: Readonly<Record<string, unknown>>): Promise<Wire>;
  get(iid?: number): Promise<Wire>;
  commit(branch: string, path: string, text: string, action?: 'create' | 'update'): Promise<string>;
  branch(name: string, ref?: string): Promise<void>;
}

export interface Wire {
  readonly iid: number;
  readonly sha: string;
  readonly state: string;
  readonly title: string;
  readonly detailed_merge_status: string;
  readonly merge_status: string;
  readonly merge_commit_sha: string | null;
  readonly [member: string]: unknown;
}

export const REQUESTS = '/api/v4/projects/1/merge_requests';

export async function stageOf(server: TestServer): Promise<Stage> {
  const { platform } = server;
  platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
  const [ada, mia, dev, rita, otto] = ['ada', 'mia', 'dev', 'rita', 'otto'].map((name) => actor(platform, name)) as [
    Actor,
    Actor,
    Actor,
    Actor,
    Actor,
  ];
  const project = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
    [mia, 40],
    [dev, 30],
    [rita, 20],
  ]);
  await commitFiles(platform, project, ada, { 'red.txt': 'red\n' });
  await commitFiles(
    platform,
    project,
    ada,
    { 'green.txt': 'green\n' },
    { branch: 'topic', startBranch: 'main', message: 'Green' },
  );
  const send: Stage['send'] = (method, path, who, json) =>
    server.request(method, path, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  return {
    server,
    project,
    ada,
    mia,
    dev,
    rita,
    otto,
    send,
    open: async (who, input = {}) => {
      const json = { title: 'Green lamps', source_branch: 'topic', target_branch: 'main', ...input };
      const response = await send('POST', REQUESTS, who, json);
      assert.equal(response.status, 201, response.text);
      return response.json() as Wire;
    },
    get: async (iid = 1) => (await send('GET', `${REQUESTS}/${iid}`, ada)).json() as Wire,
    commit: (branch, path, text, action = 'create') =>
      createCommit(platform, seenBy(platform, project, ada), ada.user, {
        branch,
        message: `About ${path}`,
        actions: [{ action, path, content: Buffer.from(text) }],
      }),
    branch: async (name, ref = 'main') => {
      await createBranch(platform, seenBy(platform, project, ada), ada.user, name, ref);
    },
  };
}
