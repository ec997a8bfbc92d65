import * as l10n from '@vscode/l10n';
/** Why the local server does not run, for people: `words` say what happened, `hint` what to do next. */
export interface LocalFailure {
  readonly code: string;
  readonly text: string;
  readonly hint: string;
}

/**
 * What a person in the editor can do about each code of the server's `fatal` line. The server's own hints are for the command line. A
 * code that is missing here keeps the server's hint.
 */
const hints: Readonly<Record<string, () => string>> = {
  node_too_old: () => l10n.t('Update VS Code to 1.112 or newer, or work with an instance elsewhere.'),
  platform_unsupported: () => l10n.t('Work with an instance elsewhere.'),
  glibc_too_old: () =>
    l10n.t('Use a newer distribution (Debian 12, Ubuntu 22.04, RHEL 9 or later), or work with an instance elsewhere.'),
  binary_missing: () => l10n.t('Install the extension made for this platform, or the universal one.'),
  binary_unloadable: () =>
    l10n.t('Install the extension made for this platform, or the universal one. On Linux it needs glibc 2.34 or musl.'),
  data_not_writable: () => l10n.t('Correct the rights of the folder or free some space, then start the server again.'),
  data_not_private: () => l10n.t('Correct the owner and the rights of the folder and its files, then start the server again.'),
  disk_full: () => l10n.t('Free some space on that disk, then start the server again.'),
  folder_held: () => l10n.t('End that process, then start the server again.'),
  database_newer: () => l10n.t('Update this extension, then start the server again.'),
  database_foreign: () => l10n.t('Move that file away, then start the server again.'),
  database_damaged: () => l10n.t('Restore a snapshot of the local server, or reset it: what is there is kept as a snapshot.'),
  migration_failed: () => l10n.t('Use the version of this extension that wrote the data, and report this failure.'),
  snapshot_missing: () => l10n.t('Choose another snapshot.'),
  port_taken: () => l10n.t('Start the server again: it takes another port.'),
  port_of_signalbox: () => l10n.t('Stop that server, or start this one again: it takes another port.'),
  address_unavailable: () => l10n.t('See whether this machine has its loopback network.'),
  usage: () => l10n.t('This is a defect of the extension. Reload the window, or install the extension again.'),
  handshake: () => l10n.t('This is a defect of the extension. Reload the window, or install the extension again.'),
  internal: () => l10n.t('This is a defect of the server; its log has the details.'),
};

/** The failure that a `fatal` line of the server tells. */
export function startFailure(code: string, message: string, hint: string): LocalFailure {
  return {
    code,
    text: l10n.t('The local server did not start: {0}', message.replace(/\.$/, '')),
    hint: hints[code]?.() ?? hint,
  };
}

/** Parts as sentences behind each other. */
export function sentences(...parts: readonly string[]): string {
  return parts
    .filter(Boolean)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(' ');
}
