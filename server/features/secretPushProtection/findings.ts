/** A secret in a line that a commit adds. */
export interface Finding {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
}

/** Pattern of personal access tokens of GitLab, as a POSIX extended regular expression and for JavaScript. */
export const TOKEN_PATTERN = 'glpat-[0-9a-zA-Z_-]{20}';

/** Push option that skips the check. */
export const SKIP_OPTION = 'secret_push_protection.skip_all';
const MAX_REPORTED = 20;
const TOKEN = new RegExp(TOKEN_PATTERN);

/**
 * Returns the secrets in the output of `git log -m -p -U0` with the format `%x00%H %P`. A merge commit adds what it adds to each of its
 * parents.
 */
export function findingsIn(log: string): readonly Finding[] {
  const findings = new Map<string, Finding & { readonly parents: number; times: number }>();
  let commit = '';
  let parents = 1;
  let path: string | undefined;
  let line = 0;
  let isInHunk = false;
  for (const text of log.split('\n')) {
    if (text.startsWith('\0')) {
      const [id = '', ...rest] = text.slice(1).trim().split(' ');
      commit = id;
      parents = Math.max(rest.length, 1);
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
      if (path === undefined || !TOKEN.test(text)) continue;
      const key = `${commit}:${line}:${path}`;
      const known = findings.get(key);
      if (known === undefined) findings.set(key, { commit, path, line, parents, times: 1 });
      else known.times += 1;
    }
  }
  return [...findings.values()]
    .filter((found) => found.times === found.parents)
    .map(({ commit, path, line }) => ({ commit, path, line }));
}

/** Returns the lines that say why changes are refused. */
export function refusalLines(findings: readonly Finding[]): readonly string[] {
  const byCommit = Map.groupBy(findings.slice(0, MAX_REPORTED), ({ commit }) => commit);
  return [
    'PUSH BLOCKED: Secrets detected in code changes',
    ...[...byCommit].flatMap(([commit, found]) => [
      '',
      `Secret push protection found the following secrets in commit: ${commit}`,
      ...found.map(({ path, line }) => `-- ${path}:${line} | GitLab personal access token`),
    ]),
    '',
    'To push your changes you must remove the identified secrets.',
    '',
    `To skip secret push protection, add the following Git push option to your push command: \`-o ${SKIP_OPTION}\``,
  ];
}
