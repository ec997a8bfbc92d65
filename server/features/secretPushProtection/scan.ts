import type { RepositoryDir } from '../../repositories/objects.ts';
import type { Core } from '../../core/core.ts';
import { type Finding, findingsIn, TOKEN_PATTERN } from './findings.ts';
import { checksPushesForSecrets } from './setting.ts';

const SKIP_OPTION = 'secret_push_protection.skip_all';
/** Maximum number of secrets that are reported, and of commits in which they are searched. */
const MAX_FINDINGS = 20;

/**
 * Returns the secrets in the commits that a push adds, if the project is protected. `repository` contains the new commits, which its refs do
 * not reach.
 */
export async function secretsInPush(
  core: Core,
  projectId: number,
  repository: RepositoryDir,
  { targets, options }: { readonly targets: readonly string[]; readonly options: readonly string[] },
): Promise<readonly Finding[]> {
  if (targets.length === 0 || !checksPushesForSecrets(core, projectId) || options.includes(SKIP_OPTION)) return [];
  const { stdout } = await repository.git.run(
    repository.folder,
    [
      'log',
      '--format=%x00%H',
      '-p',
      '-U0',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      `--max-count=${MAX_FINDINGS}`,
      `-G${TOKEN_PATTERN}`,
      '--stdin',
      '--not',
      '--all',
    ],
    // Objects that are no commits are refused later.
    { input: targets.map((id) => `${id}\n`).join(''), codes: [128] },
  );
  return findingsIn(stdout.toString('utf8'), MAX_FINDINGS);
}
