import type { LogOutputChannel } from 'vscode';

/** Log of the extension. Lines never contain secrets. */
export interface Log {
  readonly debug: (line: string) => void;
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}

/** Removes secrets from lines: registered ones, and everything with the shape of a secret. */
export interface Mask {
  readonly hide: (secret: string) => void;
  readonly apply: (line: string) => string;
}

const HIDDEN = '•••';

/** Endings of names with secret values, in queries, forms, headers and JSON. */
const SECRET_NAMES =
  '(?:[a-z_-]*token|[a-z_-]*secret|[a-z_-]*password|password_confirmation|passphrase|[a-z_-]*api_?key|[a-z_-]*private_?key|sentry_key|user_code|device_code|code|pin)';

/** Start of a name: a word boundary, or a percent-encoded character (encoded once or several times). */
const NAME_START = '(?:\\b|%(?:25)*[0-9A-F]{2})';

/** Shapes of GitLab tokens and of other keys, and positions that contain tokens of any shape. */
const tokenShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:gl[a-z]{2,6}|gloas)(?:[-_]|%(?:25)*(?:2D|5F))[0-9A-Za-z_-]{12,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?/g,
  /\bGR1348941[0-9A-Za-z_-]{12,}/g,
  /\b[0-9a-f]{64}\b/gi,
  /\b(?:gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|AKIA[0-9A-Z]{16})\b/g,
  /\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]*/g,
  /(?<=\bBearer\s+)[^\s"',;]+/gi,
  /(?<=\bauthorization:\s*basic\s+)\S+/gi,
  /(?<=\b(?:set-)?cookie:\s*)\S.*$/gim,
  /(?<=\bprivate-token:\s*)\S+/gi,
  /(?<=sign_in_links(?:\/|%(?:25)*2F))[^\s/?#&"'%]+/gi,
  new RegExp(`(?<=${NAME_START}${SECRET_NAMES}(?:\\]|%5D)*=)[^\\s&"']+`, 'gi'),
  // Nested in another parameter, up to the next encoded ampersand.
  new RegExp(`(?<=${NAME_START}${SECRET_NAMES}(?:\\]|%(?:25)*5D)*%(?:25)*3D)(?:[^\\s&"'%]|%(?!(?:25)*2[236]))+`, 'gi'),
  new RegExp(`(?<="${SECRET_NAMES}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)+`, 'gi'),
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

/** Minimum length of a registered secret; hiding shorter ones would remove ordinary words. */
const SHORTEST_SECRET = 6;

export function createMask(): Mask {
  const secrets = new Set<string>();
  return {
    hide: (secret) => {
      if (secret.length >= SHORTEST_SECRET) secrets.add(secret);
    },
    apply: (line) => {
      // Longest first, because a secret may contain another one.
      const known = [...secrets]
        .sort((a, b) => b.length - a.length)
        .reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
      return tokenShapes.reduce((text, shape) => text.replace(shape, HIDDEN), known);
    },
  };
}

/** Creates a log that writes to an output channel. */
export function createLog(channel: Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error'>, mask: Mask): Log {
  return {
    debug: (line) => channel.debug(mask.apply(line)),
    info: (line) => channel.info(mask.apply(line)),
    warn: (line) => channel.warn(mask.apply(line)),
    error: (line) => channel.error(mask.apply(line)),
  };
}

/** Log that keeps its latest lines. */
export interface LogTail extends Log {
  /** Newest last. */
  readonly lines: () => readonly string[];
}

const MAX_LINES = 100;

/** Creates a log that forwards to `channel` and keeps the latest lines, including those below its log level. */
export function createLogTail(channel: Log, now: () => number): LogTail {
  const lines: string[] = [];
  const through =
    (level: keyof Log) =>
    (line: string): void => {
      lines.push(`${new Date(now()).toISOString()} ${level} ${line}`);
      if (lines.length > MAX_LINES) lines.shift();
      channel[level](line);
    };
  return {
    lines: () => [...lines],
    debug: through('debug'),
    info: through('info'),
    warn: through('warn'),
    error: through('error'),
  };
}

/** Returns the message of an error, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
