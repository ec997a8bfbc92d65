const mark = Symbol.for('signalbox.fatal');

/**
 * An error that prevents the start, with a message for the user. It is printed as the one line of JSON. Two bundles contain this class, so
 * `instanceof` compares a symbol.
 */
export class Fatal extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && mark in value;
  }
  readonly [mark] = true;
  readonly code: FatalCode;
  readonly hint: string;
  readonly exitCode: number;
  constructor(code: FatalCode, message: string, hint: string, exitCode = 1) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** Codes that the extension can receive when it starts a server. */
export const fatalCodes = [
  'usage',
  'node_too_old',
  'platform_unsupported',
  'glibc_too_old',
  'binary_missing',
  'binary_unloadable',
  'data_not_writable',
  /** Other users could read the data, and the permissions of the files cannot be changed. */
  'data_not_private',
  'disk_full',
  /** Another process holds the folder's lock and does not respond. */
  'folder_held',
  'database_newer',
  'database_foreign',
  'database_damaged',
  /** The data is unchanged. */
  'migration_failed',
  'snapshot_missing',
  /** Another program uses the port, or this program is not permitted to use it. */
  'port_taken',
  'port_of_signalbox',
  /** Repositories are on a storage that is missing from the command line. */
  'storage_missing',
  /** The folder of a storage belongs to another server, overlaps with another folder, or is not private. */
  'storage_unusable',
  'address_unavailable',
  'handshake',
  'internal',
] as const;

/**
 * Codes about seed files, which occur only on the command line: the file is not readable, it has errors, or the server that should apply it
 * is unavailable.
 */
type SeedCode = 'seed_missing' | 'seed_refused' | 'server_unreachable';

export type FatalCode = (typeof fatalCodes)[number] | SeedCode;

/** Returns the line of standard output that reports the error. */
export function fatalLine(error: unknown): Record<string, unknown> {
  if (error instanceof Fatal) return { event: 'fatal', code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  return {
    event: 'fatal',
    code: 'internal',
    message,
    hint: 'This is a bug in the server. See its standard error for details.',
  };
}
