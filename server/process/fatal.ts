const mark = Symbol.for('signalbox.fatal');

/**
 * A reason not to start, in words for the person who started the server. Printed as the one line of JSON. Two bundles hold this class, and
 * what one throws the other catches.
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

/** What the extension may meet when it starts a server. */
export const fatalCodes = [
  'usage',
  'node_too_old',
  'platform_unsupported',
  'glibc_too_old',
  'binary_missing',
  'binary_unloadable',
  'data_not_writable',
  /** Others could read the data, and the rights of the files cannot be changed. */
  'data_not_private',
  'disk_full',
  /** Another process has the folder's lock and does not answer. */
  'folder_held',
  'database_newer',
  'database_foreign',
  'database_damaged',
  /** The data stays as an earlier version wrote it. */
  'migration_failed',
  'snapshot_missing',
  /** By a program that is no Signalbox, or not allowed to this one. */
  'port_taken',
  'port_of_signalbox',
  'address_unavailable',
  'handshake',
  'internal',
] as const;

/**
 * About seed files, which only the command line names: the file cannot be read, says something that cannot be, or no server answers that
 * would take it.
 */
type SeedCode = 'seed_missing' | 'seed_refused' | 'server_unreachable';

export type FatalCode = (typeof fatalCodes)[number] | SeedCode;

/** The line of standard output that reports it. */
export function fatalLine(error: unknown): Record<string, unknown> {
  if (error instanceof Fatal) return { event: 'fatal', code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  return {
    event: 'fatal',
    code: 'internal',
    message,
    hint: 'This is a defect of the server; its standard error has the details.',
  };
}
