import * as l10n from '@vscode/l10n';

/** Reason why the local server does not run. `text` is the problem and `hint` is what the user can do. */
export interface LocalFailure {
  readonly code: string;
  readonly text: string;
  readonly hint: string;
}

/**
 * Hints for the codes of the server's `fatal` line. They replace the server's own hints, which are for the command line. Other codes keep
 * the server's hint.
 */
const hints: Readonly<Record<string, () => string>> = {
  node_too_old: () => l10n.t('Update VS Code to 1.112 or later, or use another instance.'),
  platform_unsupported: () => l10n.t('Use another instance.'),
  glibc_too_old: () => l10n.t('Use a newer distribution (Debian 12, Ubuntu 22.04, RHEL 9 or later), or use another instance.'),
  binary_missing: () => l10n.t('Install the extension for this operating system.'),
  binary_unloadable: () => l10n.t('Install the extension for this operating system. On Linux, it requires glibc 2.34 or musl.'),
  data_not_writable: () => l10n.t('Fix the permissions of the folder or free up disk space, then start the server again.'),
  data_not_private: () => l10n.t('Fix the owner and permissions of the folder and its files, then start the server again.'),
  disk_full: () => l10n.t('Free up space on the disk, then start the server again.'),
  folder_held: () => l10n.t('Stop that process, then start the server again.'),
  database_newer: () => l10n.t('Update this extension, or restore a snapshot that an earlier version wrote.'),
  database_foreign: () => l10n.t('Move that file to another folder, then start the server again.'),
  database_damaged: () =>
    l10n.t('Restore a snapshot of the local server, or reset it. The current data is saved as a snapshot first.'),
  migration_failed: () => l10n.t('Use the version of this extension that wrote the data, and report this problem.'),
  snapshot_missing: () => l10n.t('Choose another snapshot.'),
  port_taken: () => l10n.t('Start the server again. It will use another port.'),
  port_of_signalbox: () => l10n.t('Stop that server, or start this one again. It will use another port.'),
  storage_missing: () => l10n.t('Start the server on the command line, with the option that the message names.'),
  storage_unusable: () => l10n.t('Start the server on the command line, with another folder for the storage.'),
  address_unavailable: () => l10n.t('Check that the loopback network of this machine is available.'),
  usage: () => l10n.t('This is a bug in the extension. Reload the window or reinstall the extension.'),
  handshake: () => l10n.t('This is a bug in the extension. Reload the window or reinstall the extension.'),
  internal: () => l10n.t('This is a bug in the server. See its log for details.'),
};

/** Returns the failure for a `fatal` line of the server. */
export function startFailure(code: string, message: string, hint: string): LocalFailure {
  return {
    code,
    text: l10n.t('The local server failed to start: {0}', message.replace(/\.$/, '')),
    hint: hints[code]?.() ?? hint,
  };
}

/** Joins the non-empty parts as sentences, with final punctuation. */
export function sentences(...parts: readonly string[]): string {
  return parts
    .filter(Boolean)
    .map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`))
    .join(' ');
}
