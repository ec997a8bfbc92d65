/** A secret in a line that a commit adds. */
export interface Finding {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
}

/** Pattern of personal access tokens of GitLab, as a POSIX extended regular expression and for JavaScript. */
export const TOKEN_PATTERN = 'glpat-[0-9a-zA-Z_-]{20}';

const TOKEN = new RegExp(TOKEN_PATTERN);

/** Returns the secrets in the output of `git log -p -U0` with the format `%x00%H`, at most `limit`. */
export function findingsIn(log: string, limit: number): readonly Finding[] {
  const findings: Finding[] = [];
  let commit = '';
  let path: string | undefined;
  let line = 0;
  let isInHunk = false;
  for (const text of log.split('\n')) {
    if (text.startsWith('\0')) {
      commit = text.slice(1);
      path = undefined;
      isInHunk = false;
    } else if (text.startsWith('diff --git ')) {
      path = undefined;
      isInHunk = false;
    } else if (!isInHunk && text.startsWith('+++ ')) {
      path = text.replace(/^\+\+\+ (?:"?b\/)?/, '').replace(/"?\t?$/, '');
    } else if (text.startsWith('@@ ')) {
      line = Number(/ \+(\d+)/.exec(text)?.[1] ?? 0) - 1;
      isInHunk = true;
    } else if (isInHunk && text.startsWith('+')) {
      line += 1;
      if (path !== undefined && TOKEN.test(text)) findings.push({ commit, path, line });
      if (findings.length === limit) break;
    }
  }
  return findings;
}

/** Returns the lines that a git client shows about a refused push. */
export function refusalLines(findings: readonly Finding[]): readonly string[] {
  const byCommit = Map.groupBy(findings, ({ commit }) => commit);
  return [
    'GitLab:',
    'PUSH BLOCKED: Secrets detected in code changes',
    ...[...byCommit].flatMap(([commit, found]) => [
      '',
      `Secret push protection found the following secrets in commit: ${commit}`,
      ...found.map(({ path, line }) => `-- ${path}:${line} | GitLab personal access token`),
    ]),
    '',
    'To push your changes you must remove the identified secrets.',
    '',
    'To skip secret push protection, add the following Git push option to your push command: `-o secret_push_protection.skip_all`',
  ];
}
