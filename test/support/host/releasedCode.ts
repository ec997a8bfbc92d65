// The code that the demo errors happened in, in a repository with their releases.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoReleases } from '../../../server/seeds/demoFailures.ts';
import { gitClient, type GitClient } from '../gitClient.ts';

const DEMO_WORKSPACE = path.join(import.meta.dirname, '../../../media/demo-workspace');
/** First words of the lines that were added to a file after the releases, and that no release has. */
export const ADDED = '// Added later';

/** Runs git in a folder. */
export type RunInFolder = GitClient['succeed'];

/**
 * Copies the demo workspace into an empty folder, in which `berth-api` gets three commits: one without the code of `file`, before all
 * releases; one that is all releases of the demo errors; and one that added `count` lines at the start of `file` and one at its end. As no
 * line at either end is the same, VS Code does not keep its decorations itself when another commit is checked out. The home of git is in
 * `container`, another folder.
 */
export async function createReleasedCode(
  workspace: string,
  container: string,
  file: string,
  count: number,
): Promise<{ readonly git: RunInFolder }> {
  cpSync(DEMO_WORKSPACE, workspace, { recursive: true });
  const { succeed } = gitClient(container);
  const git: RunInFolder = (...args) => succeed('-C', workspace, ...args);
  const changed = path.join(workspace, 'berth-api', file);
  const code = readFileSync(changed, 'utf8');
  const commit = async (message: string, text: string): Promise<void> => {
    writeFileSync(changed, text);
    await git('add', 'berth-api');
    await git('commit', '--quiet', '-m', message);
  };
  await git('init', '--quiet', '--initial-branch=main');
  await commit('Begin the service', '// Nothing yet.\n');
  await git('tag', 'v0.9.0');
  await commit('Write the service', code);
  for (const release of demoReleases) await git('tag', release.replace('berth-api@', 'v'));
  await commit('Explain the service', `${`${ADDED}\n`.repeat(count)}${code}${ADDED}\n`);
  return { git };
}
