/** Environment variables of a terminal. Null removes a variable. */
export type TerminalEnvironment = Readonly<Record<string, string | null>>;

/** Token of a terminal. `isPersonal`: a personal access token, as opposed to the OAuth token of a sign-in. */
export interface TerminalToken {
  readonly accessToken: string;
  readonly isPersonal: boolean;
}

/**
 * Returns the variables with which git and API clients work on an instance as an account. The token is in the environment only: the
 * credential helper of git reads it there, and only for this address. `inherited` is the environment in which the terminal starts.
 */
export function terminalEnvironment(
  address: string,
  { accessToken, isPersonal }: TerminalToken,
  inherited: Readonly<Record<string, string | undefined>>,
): TerminalEnvironment {
  const { protocol, host, pathname } = new URL(address);
  return {
    SIGNALBOX_URL: address,
    SIGNALBOX_TOKEN: accessToken,
    // For glab. It compares the host with those of git remotes, sends every request to the API host, which may have a path, and assumes
    // HTTPS otherwise. It sends any token as PRIVATE-TOKEN; versions since 2026 send it as a bearer token if GLAB_IS_OAUTH2 is true.
    GITLAB_HOST: host,
    GITLAB_API_HOST: `${host}${pathname.replace(/\/+$/, '')}`,
    API_PROTOCOL: protocol.slice(0, -1),
    GITLAB_TOKEN: accessToken,
    GLAB_IS_OAUTH2: isPersonal ? null : 'true',
    // For python-gitlab, which accepts only one of the two.
    GITLAB_URL: address,
    CI_SERVER_URL: address,
    GITLAB_PRIVATE_TOKEN: isPersonal ? accessToken : null,
    GITLAB_OAUTH_TOKEN: isPersonal ? null : accessToken,
    // For the Ruby gem gitlab, which accepts both kinds of tokens.
    GITLAB_API_ENDPOINT: `${address}/api/v4`,
    GITLAB_API_PRIVATE_TOKEN: accessToken,
    // Tokens and addresses of other instances must not be used with this one.
    ...removed,
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

/** Variables that the same clients read, and that would replace the account, its address or the way to send its token. */
const removed: TerminalEnvironment = {
  GITLAB_ACCESS_TOKEN: null,
  OAUTH_TOKEN: null,
  JOB_TOKEN: null,
  CI_JOB_TOKEN: null,
  IS_OAUTH2: null,
  GLAB_ENABLE_CI_AUTOLOGIN: null,
  GITLAB_SUBFOLDER: null,
};

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
