/** Parts of names that hold secrets, also if their words are joined, or separated by `_` or `-`. */
const secretParts = [
  'password',
  'passwd',
  'passphrase',
  'passwort',
  'secret',
  'credential',
  'authorization',
  'authentication',
  'api_?key',
  'private_?key',
  'access_?key',
  'signing_?key',
  'encryption_?key',
  'access_?token',
  'refresh_?token',
  'auth_?token',
  'id_?token',
  'session_?id',
  'gitlab_session',
  'sessid',
  'set_?cookie',
  'credit_?card',
  'card_?number',
];
/** Words that mark a secret only as a separate word: `token` matches `csrf-token` and `userToken`, but not `max_tokens`. */
const secretWords = [
  'auth',
  'token',
  'jwt',
  'bearer',
  'cookie',
  'cookies',
  'csrf',
  'xsrf',
  'pwd',
  'pass',
  'ssn',
  'cvv',
  'cvc',
  'otp',
  'pin',
  'passcode',
];
const secretName = new RegExp(`${secretParts.join('|')}|(?:^|_)(?:${secretWords.join('|')})(?:_|$)`);

/** Last words of names whose value says something about a secret and is none itself: `token_count`, `cookie_policy`. */
const aspects = [
  // Numbers and sizes.
  'count|counts|counter|total|sum|length|len|size|sizes|limit|limits|quota|budget|usage|rate|ratio|percent|percentage|cost',
  'attempts|tries|retries|failures|remaining|left|min|max|index|position|offset',
  // Flags.
  'enabled|disabled|required|needed|optional|allowed|supported|accepted|present|exists|missing|configured|active|blocked|locked',
  'valid|invalid|verified|expired|revoked|changed|secure|http_?only|same_?site|consent',
  // Policies and kinds.
  'policy|policies|rules|requirements|strength|complexity|type|types|kind|method|methods|scheme|schemes|mode|flow|level|format',
  'algorithm|algorithms|alg|version|status|scope|scopes|provider|providers|issuer|audience|brand',
];
/** Last words of names of times and addresses: `token_expires_in`, `authorization_endpoint`. */
const timesAndAddresses = [
  'expires|expiry|expiration|(?:expires?|valid)_(?:in|on|after)|(?:changed|created|updated|issued)_on|at|until|since|ttl|lifetime',
  'age|timeout|duration|date|time|timestamp|seconds|minutes|hours|days|ms|millis',
  'url|urls|uri|uris|endpoint|endpoints|host|hostname|port|server|domain|path|file|filename|dir|directory|folder|sock|socket|arn',
  'name|names',
];
/** Words that make a name the one of a flag: `has_password`. `enable_password` and `require_pass` are names of secrets. */
const flags =
  '^(?:is|can|should)_|(?:^|_)(?:has|needs?|requires?(?!_pass(?:_|$))|allows?|supports?|(?:enable|disable)s?(?=_(?:auth|cookie|csrf|xsrf|jwt|otp)))_';
/** Positions in lists, special tokens of language models, the public key of a .NET assembly, and numbers of secrets. */
const otherTokens = [
  '(?:page|next|continuation|sync|delta|skip|cursor|pagination|paging|bos|eos|pad|unk|public_key)_?token',
  '(?:max|min|num|number_of|total|count|avg|average)_(?:[a-z]+_)?(?:tokens?|cookies|secrets|credentials|passwords)',
].join('|');

const aspect = new RegExp(
  `_(?:${aspects.join('|')})_?$|${flags}|(?:^|_)(?:${otherTokens})_?$|^last_.*_(?:change|update|reset|rotation|use)_?$`,
);
const timeOrAddress = new RegExp(`_(?:${timesAndAddresses.join('|')})_?$`);
/** Names of which a time or an address may be secret: cards expire, and whoever has the address may reset the password. */
const secretAddress =
  /credit_?card|card_?number|(?:^|_)(?:cvv|cvc|ssn)_|(?:reset|recovery|magic|signed|invite|invitation|confirm|confirmation|verify|verification|activation|unlock|secret)_(?:[a-z]+_)*ur[il]s?_?$/;

/** Stems of which every secret name contains at least one. */
const nameStems = /pass|pwd|secret|credential|auth|key|token|jwt|bearer|cookie|csrf|xsrf|ssn|cv[vc]|otp|pin|sess|card/i;

/** Returns true if a text may contain the name of a secret. */
export function mayNameSecret(text: string): boolean {
  return nameStems.test(text);
}

/** Cached results. Most programs send the same names again and again. */
const cachedResults = new Map<string, boolean>();
const MAX_CACHED = 10_000;
const NAME_LENGTH = 200;

/**
 * Returns true if a header, parameter, variable or member with this name holds a secret: the name contains a part or word of the
 * lists above, and no other word says that its value is a number, flag, policy, kind, time or address.
 */
export function isSecretName(name: string): boolean {
  if (name.length > NAME_LENGTH) return isSecretName(name.slice(0, NAME_LENGTH));
  if (!nameStems.test(name)) return false;
  let isSecret = cachedResults.get(name);
  if (isSecret === undefined) {
    const text = wordsOf(name);
    isSecret = secretName.test(text) && !aspect.test(text) && !(timeOrAddress.test(text) && !secretAddress.test(text));
    if (cachedResults.size >= MAX_CACHED) cachedResults.clear();
    cachedResults.set(name, isSecret);
  }
  return isSecret;
}

/** Returns the words of a name in lower case, separated by `_`: `nextPageToken` and `X-Next-Page-Token`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/%[2-7][0-9A-Fa-f]/g, '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

/** The variables of shells with the working directory. A password of a connection may be called `PWD`, too: `UID=sa;PWD=x`. */
const workingDirectory = /(?:^|[^A-Za-z0-9_])(?:OLD)?PWD["'\]]*$/;
/** An absolute path, or one of the home directory. Nothing is known of a value that was cut. */
const absolutePath = /[ \t]{0,4}\\?["'`]?(?:\/|~(?:[/\s"'`&]|$)|[A-Za-z]:[\\/]|…$)/y;
/** The rest of a selector, such as `loginWithPassword:token:completion:`. */
const selector = /(?:[A-Za-z_]{1,100}:){1,20}(?=[\s\])'"]|$)/y;

/** Returns true if the value of a secret name at a position of a text is no secret, as in `PWD=/srv/app`. */
export function isHarmlessAt(name: string, text: string, at: number): boolean {
  if (text[at - 1] === ':' && matchesAt(selector, text, at)) return true;
  return workingDirectory.test(name) && text[at - name.length - 2] !== ';' && matchesAt(absolutePath, text, at);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Returns true if a value with this name is a secret. */
export function isSecretValue(name: string, value: unknown): boolean {
  return isSecretName(name) && !(typeof value === 'string' && isHarmlessAt(name, value, 0));
}

const idName = /(?:^|[^A-Za-z])(?:(?:u|uu|gu)?ids?|(?:U|UU|GU)?IDs?)$|[a-z0-9](?:Id|ID|Uid|UID|Uuid|UUID|Guid|GUID)s?$/;

/** Returns true for the name of an ID, such as `id`, `trace_id` or `orderId`. */
export function isIdName(name: string): boolean {
  return idName.test(name);
}
