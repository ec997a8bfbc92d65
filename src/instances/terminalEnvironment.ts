import type { Session } from '../auth/sessions.ts';

/** Variables for a terminal; null takes one away that was there. */
export type TerminalEnvironment = Readonly<Record<string, string | null>>;

/**
 * What git and API clients need to work on one instance as one account. The token stands in the environment only: git's credential
 * helper reads it there, and answers for this address alone. `inherited` is the environment that the terminal starts from.
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
    // glab, which sends a token of OAuth in another header.
    GITLAB_HOST: address,
    GITLAB_TOKEN: accessToken,
    GLAB_IS_OAUTH2: isOauth ? 'true' : null,
    // python-gitlab, which refuses to be given both.
    GITLAB_URL: address,
    CI_SERVER_URL: address,
    GITLAB_PRIVATE_TOKEN: isOauth ? null : accessToken,
    GITLAB_OAUTH_TOKEN: isOauth ? accessToken : null,
    // gitlab, the Ruby gem, which takes both kinds.
    GITLAB_API_ENDPOINT: `${address}/api/v4`,
    GITLAB_API_PRIVATE_TOKEN: accessToken,
    // Tokens of another platform must not go to this one.
    GITLAB_ACCESS_TOKEN: null,
    OAUTH_TOKEN: null,
    CI_JOB_TOKEN: null,
    ...gitConfiguration(
      [
        // Empty: other helpers are asked no more, so that none of them stores this token.
        [`credential.${address}.helper`, ''],
        [`credential.${address}.helper`, HELPER],
      ],
      inherited,
    ),
  };
}

/** git runs this with its own shell, on Windows too. Any user name goes with a token. */
const HELPER = '!f() { test "$1" = get && printf \'username=oauth2\\npassword=%s\\n\' "$SIGNALBOX_TOKEN"; }; f';

/** Settings of git in its environment, after the ones that stand there already. */
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
