import type { Session } from '../auth/session.ts';

/** Environment variables of a terminal. Null removes a variable. */
export type TerminalEnvironment = Readonly<Record<string, string | null>>;

/**
 * Returns the variables with which git and API clients work on an instance as an account. The token is in the environment only: the
 * credential helper of git reads it there, and only for this address. `inherited` is the environment in which the terminal starts.
 */
export function terminalEnvironment(
  address: string,
  { accessToken, credential }: Pick<Session, 'accessToken' | 'credential'>,
  inherited: Readonly<Record<string, string | undefined>>,
): TerminalEnvironment {
  const isOauth = credential === 'oauth';
  return {
    SIGNALBOX_URL: address,
    SIGNALBOX_TOKEN: accessToken,
    // For glab, which sends OAuth tokens in a different header.
    GITLAB_HOST: address,
    GITLAB_TOKEN: accessToken,
    GLAB_IS_OAUTH2: isOauth ? 'true' : null,
    // For python-gitlab, which accepts only one of the two.
    GITLAB_URL: address,
    CI_SERVER_URL: address,
    GITLAB_PRIVATE_TOKEN: isOauth ? null : accessToken,
    GITLAB_OAUTH_TOKEN: isOauth ? accessToken : null,
    // For the Ruby gem gitlab, which accepts both kinds of tokens.
    GITLAB_API_ENDPOINT: `${address}/api/v4`,
    GITLAB_API_PRIVATE_TOKEN: accessToken,
    // Tokens of other instances must not be sent to this one.
    GITLAB_ACCESS_TOKEN: null,
    OAUTH_TOKEN: null,
    CI_JOB_TOKEN: null,
    ...gitConfiguration(
      [
        // An empty value disables other helpers, so that none of them stores this token.
        [`credential.${address}.helper`, ''],
        [`credential.${address}.helper`, HELPER],
      ],
      inherited,
    ),
  };
}

/** Credential helper, which git runs in its own shell, also on Windows. The user name is arbitrary. */
const HELPER = '!f() { test "$1" = get && printf \'username=oauth2\\npassword=%s\\n\' "$SIGNALBOX_TOKEN"; }; f';

/** Returns git configuration as environment variables, numbered after the inherited ones. */
function gitConfiguration(
  entries: readonly (readonly [string, string])[],
  inherited: Readonly<Record<string, string | undefined>>,
): TerminalEnvironment {
  const before = Number(inherited['GIT_CONFIG_COUNT'] ?? '0');
  const first = Number.isSafeInteger(before) && before > 0 ? before : 0;
  const pairs = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${first + index}`, value] as const,
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + entries.length) };
}
