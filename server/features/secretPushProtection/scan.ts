import type { RepositoryDir } from '../../repositories/objects.ts';
import { refusedChange } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { type Finding, findingsIn, refusalLines, SKIP_OPTION, TOKEN_PATTERN } from './findings.ts';
import { checksPushesForSecrets } from './setting.ts';

/** Text in the message of any new commit that skips the check. */
const SKIP_TEXT = '[skip secret push protection]';
/** Maximum number of bytes of changes in which secrets are searched. Longer ones are refused. */
const MAX_CHANGES = 32 * 1024 * 1024;
const TOO_LONG = `PUSH BLOCKED: The changes are too long to be searched for secrets. The push option ${SKIP_OPTION} skips the search.`;
const RULE = 'secretPushProtection.clean';

/**
 * Returns the secrets in the commits that a push adds, if the project is protected. `repository` contains the new commits, which its refs do
 * not reach.
 */
export async function secretsInPush(
  core: Core,
  projectId: number,
  repository: RepositoryDir,
  { targets, options = [] }: { readonly targets: readonly string[]; readonly options?: readonly string[] },
): Promise<readonly Finding[]> {
  if (targets.length === 0 || !checksPushesForSecrets(core, projectId) || options.includes(SKIP_OPTION)) return [];
  const format = [
    '--format=%x00%H %P',
    '-m',
    '-p',
    '-U0',
    '--text',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
  ];
  const changes = await logOf(repository, targets, [...format, `-G${TOKEN_PATTERN}`], MAX_CHANGES);
  const findings = findingsIn(changes.toString('utf8'));
  const areAllSearched = changes.length < MAX_CHANGES;
  if (findings.length === 0 && areAllSearched) return [];
  const skipped = await logOf(repository, targets, ['--format=%H', '--max-count=1', '--fixed-strings', `--grep=${SKIP_TEXT}`], 1);
  if (skipped.length > 0) return [];
  if (findings.length === 0) throw refusedChange(TOO_LONG, 'the changes are too long to be searched', RULE);
  return findings;
}

/** Throws `Refused` if a new commit that no ref reaches adds secrets to a protected project. */
export async function refuseSecrets(core: Core, projectId: number, repository: RepositoryDir, commit: string): Promise<void> {
  const findings = await secretsInPush(core, projectId, repository, { targets: [commit] });
  if (findings.length > 0) throw refusedChange(refusalLines(findings).join('\n'), 'the commit adds a secret', RULE);
}

/** Runs `git log` over the commits that a push adds. */
async function logOf(
  repository: RepositoryDir,
  targets: readonly string[],
  args: readonly string[],
  enough: number,
): Promise<Buffer> {
  const { stdout } = await repository.git.run(repository.folder, ['log', ...args, '--stdin', '--not', '--all'], {
    input: targets.map((id) => `${id}\n`).join(''),
    enough,
  });
  return stdout;
}
