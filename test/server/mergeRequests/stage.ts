import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy, withToken } from '../projects/cast.ts';
import type { TestResponse, TestServer } from '../../support/server.ts';
import { type CopyOptions, serverTemplate, type ServerTemplate } from '../../support/serverTemplate.ts';

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

/** The people and the project of a stage. */
interface Scene {
  readonly users: Readonly<Record<Name, User>>;
  readonly project: FoundProject;
}

const names = ['ada', 'mia', 'dev', 'rita', 'otto'] as const;
type Name = (typeof names)[number];

async function fill({ platform }: TestServer): Promise<Scene> {
  platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
  const actors = Object.fromEntries(names.map((name) => [name, actor(platform, name)])) as Record<Name, Actor>;
  const { ada, mia, dev, rita } = actors;
  const project = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
    [mia, 40],
    [dev, 30],
    [rita, 20],
  ]);
  await commitFiles(platform, project, ada, { 'red.txt': 'red\n' });
  const green = { branch: 'topic', startBranch: 'main', message: 'Green' };
  await commitFiles(platform, project, ada, { 'green.txt': 'green\n' }, green);
  const users = Object.fromEntries(names.map((name) => [name, actors[name].user])) as Record<Name, User>;
  return { users, project };
}

let template: Promise<ServerTemplate<Scene>> | undefined;

/** Starts a server with the project and its people. It is a copy of one that was filled once. */
export async function startStage(options: CopyOptions = {}): Promise<Stage> {
  template ??= serverTemplate(fill);
  const { made, start } = await template;
  return stageOf(await start(options), made);
}

/** Adds the project and its people to a server. */
export async function addStage(server: TestServer): Promise<Stage> {
  return stageOf(server, await fill(server));
}

function stageOf(server: TestServer, { users, project }: Scene): Stage {
  const { platform } = server;
  const actors = Object.fromEntries(names.map((name) => [name, withToken(platform, users[name])])) as Record<Name, Actor>;
  const { ada } = actors;
  const send: Stage['send'] = (method, path, who, json) =>
    server.request(method, path, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  return {
    server,
    project,
    ...actors,
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
