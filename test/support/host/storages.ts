// A server with several storages, and projects to move between them.
import path from 'node:path';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { ask, type RunningPlatform } from './platform.ts';

/** Storages besides `default`: for all repositories, for one, and for one whose move fails. */
export const STORAGES = ['archive', 'attic', 'shed'] as const;

/** Returns the command line options that add the storages, in folders below `home`. */
export function storageOptions(home: string): readonly string[] {
  return STORAGES.flatMap((name) => ['--storage', `${name}=${path.join(home, name)}`]);
}

/** Creates a project of root with a commit on the storage `default`, and returns its path. */
export async function createProject(platform: RunningPlatform, name: string): Promise<string> {
  const created = await ask(platform, 'POST', '/api/v4/projects', { name });
  const project = (isJsonObject(created) && stringMember(created, 'path_with_namespace')) || '';
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
  const commit = { branch: 'main', commit_message: 'Begin', actions };
  await ask(platform, 'POST', `/api/v4/projects/${encodeURIComponent(project)}/repository/commits`, commit);
  return project;
}

/** Sets the pause before each step of a move. */
export async function setStepSeconds(platform: RunningPlatform, seconds: number): Promise<void> {
  await ask(platform, 'PUT', '/_local/storage-moves', { step_seconds: seconds });
}
