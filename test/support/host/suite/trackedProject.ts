// Projects with error tracking on a platform, and folders that belong to them, for suites inside the extension host.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { readClientKey } from '../../../../src/contract/clientKeys.ts';
import { readProjectBasic } from '../../../../src/contract/projects.ts';
import { testEnvironment } from '../../environment.ts';
import { sendError } from '../../sentErrors.ts';
import { ask, type RunningPlatform } from '../platform.ts';
import { workspaceFolder } from './extension.ts';

/** Project with error tracking. */
export interface TrackedProject {
  readonly id: number;
  readonly path: string;
  readonly dsn: string;
}

/** Creates a project of a user. Its errors are not tracked yet. */
export async function createProject(
  platform: RunningPlatform,
  name: string,
  username = 'root',
): Promise<{ id: number; path: string }> {
  const made = readProjectBasic(await ask(platform, 'POST', '/api/v4/projects', { name, visibility: 'private' }, username));
  assert.ok(made);
  return { id: made.id, path: made.path_with_namespace };
}

/** Creates a project with error tracking and a client key. */
export async function createTrackedProject(platform: RunningPlatform, name: string, username = 'root'): Promise<TrackedProject> {
  const { id, path: full } = await createProject(platform, name, username);
  const settings = { active: true, integrated: true };
  await ask(platform, 'PUT', `/api/v4/projects/${id}/error_tracking/settings`, settings, username);
  const key = readClientKey(await ask(platform, 'POST', `/api/v4/projects/${id}/error_tracking/client_keys`, {}, username));
  assert.ok(key);
  return { id, path: full, dsn: key.tracker_dsn };
}

/** Sends an error that happened in a line of a file, as a program in a container reports it. */
export async function sendErrorAt(
  { dsn }: Pick<TrackedProject, 'dsn'>,
  type: string,
  filename: string,
  line: number,
): Promise<void> {
  const frame = { filename, abs_path: `/app/${filename}`, function: 'run', lineno: line, in_app: true };
  await sendError(dsn, { type, value: 'failed', stacktrace: { frames: [frame] } });
}

/** Makes a folder below the open one a repository with these remotes. Returns a function that runs git in it. */
export function createRepository(name: string, remotes: Readonly<Record<string, string>>): (...args: readonly string[]) => void {
  const cwd = path.join(workspaceFolder(), name);
  mkdirSync(cwd, { recursive: true });
  const git = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env: testEnvironment(['git']) });
    assert.equal(status, 0, stderr);
  };
  git('init', '--quiet');
  for (const [remote, address] of Object.entries(remotes)) git('remote', 'add', remote, address);
  return git;
}
