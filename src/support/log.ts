import type { LogOutputChannel } from 'vscode';

/** Where every part of the extension writes what it did; no line ever holds a secret. */
export interface Log {
  readonly debug: (line: string) => void;
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}

/** Takes secrets out of lines: the ones it was told of, and everything that looks like one. */
export interface Mask {
  readonly hide: (secret: string) => void;
  readonly apply: (line: string) => string;
}

const HIDDEN = '•••';

/** Ends of names whose values are secrets, in queries, forms, headers and JSON. */
const SECRET_NAMES =
  '(?:[a-z_-]*token|[a-z_-]*secret|[a-z_-]*password|password_confirmation|passphrase|[a-z_-]*api_?key|[a-z_-]*private_?key|sentry_key|user_code|device_code|code|pin)';

/** Where a name begins: at the edge of a word, or behind a character that is percent-encoded, once or more. */
const NAME_START = '(?:\\b|%(?:25)*[0-9A-F]{2})';

/** Shapes of the platform's tokens and of keys of others, and the places where tokens of any shape stand. */
const tokenShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:gl[a-z]{2,6}|gloas)(?:[-_]|%(?:25)*(?:2D|5F))[0-9A-Za-z_-]{12,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?/g,
  /\b[0-9a-f]{64}\b/gi,
  /\b(?:gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|AKIA[0-9A-Z]{16})\b/g,
  /\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]*/g,
  /(?<=\bBearer\s+)[^\s"',;]+/gi,
  /(?<=\bauthorization:\s*basic\s+)\S+/gi,
  /(?<=\b(?:set-)?cookie:\s*)\S.*$/gim,
  /(?<=\bprivate-token:\s*)\S+/gi,
  /(?<=sign_in_links(?:\/|%(?:25)*2F))[^\s/?#&"'%]+/gi,
  new RegExp(`(?<=${NAME_START}${SECRET_NAMES}(?:\\]|%5D)*=)[^\\s&"']+`, 'gi'),
  // Within another parameter, where the next one begins with an encoded ampersand.
  new RegExp(`(?<=${NAME_START}${SECRET_NAMES}(?:\\]|%(?:25)*5D)*%(?:25)*3D)(?:[^\\s&"'%]|%(?!(?:25)*2[236]))+`, 'gi'),
  new RegExp(`(?<="${SECRET_NAMES}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)+`, 'gi'),
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

/** Too short to be a secret, and hiding it would blot out ordinary words. */
const SHORTEST_SECRET = 6;

export function createMask(): Mask {
  const secrets = new Set<string>();
  return {
    hide: (secret) => {
      if (secret.length >= SHORTEST_SECRET) secrets.add(secret);
    },
    apply: (line) => {
      // Longest first: one secret may stand inside another.
      const known = [...secrets]
        .sort((a, b) => b.length - a.length)
        .reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
      return tokenShapes.reduce((text, shape) => text.replace(shape, HIDDEN), known);
    },
  };
}

/** A log into an output channel of the editor. */
export function createLog(channel: Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error'>, mask: Mask): Log {
  return {
    debug: (line) => channel.debug(mask.apply(line)),
    info: (line) => channel.info(mask.apply(line)),
    warn: (line) => channel.warn(mask.apply(line)),
    error: (line) => channel.error(mask.apply(line)),
  };
}

/** Remembers the last lines of a channel, as they were written to it. */
export interface LogTail extends Log {
  /** Newest last. */
  readonly lines: () => readonly string[];
}

const MAX_LINES = 100;

/** A channel in front of `channel`. Lines below its level are remembered, too: that is what they are good for. */
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

/** What an error says, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
