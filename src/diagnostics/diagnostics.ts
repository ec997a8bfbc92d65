// The diagnostics report. A separate bundle, loaded on first use.
import os from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FeedOutcomes } from '../activity/outcomes.ts';
import type { Refresh } from '../auth/refresh.ts';
import { keyOf } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { PRODUCT } from '../contract/product.ts';
import { settings as settingIds } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import type { DataProfiles } from '../local/profiles.ts';
import type { Supervisor } from '../local/supervisor.ts';
import type { LogTail, Mask } from '../support/log.ts';
import { useTranslations } from '../support/translations.ts';
import { createRedaction } from './redact.ts';
import { type ChangedSetting, type Diagnostics, diagnosticsReport } from './report.ts';
import type { ServerHistory } from './serverHistory.ts';

export interface DiagnosticsSettings {
  readonly version: string;
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly supervisor: Supervisor;
  readonly history: ServerHistory;
  readonly profiles: DataProfiles;
  readonly outcomes: FeedOutcomes;
  readonly tail: LogTail;
  readonly mask: Mask;
}

/** Copies a report about this window, for support requests. It is only written to the clipboard. */
export async function copyDiagnostics(settings: DiagnosticsSettings): Promise<void> {
  useTranslations();
  const { sessions, instances, mask } = settings;
  const accounts = [
    ...sessions.all().map(({ account }) => account),
    ...instances.all().map(({ key }) => sessions.ended(key)),
  ].filter((account) => account !== undefined);
  const text = diagnosticsReport(gather(settings), createRedaction({ mask, homeFolder: os.homedir(), accounts }));
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage(l10n.t('Diagnostics copied. Tokens and passwords were removed.'));
}

function gather(settings: DiagnosticsSettings): Diagnostics {
  const { version, instances, sessions, refresh, supervisor, history, profiles, outcomes, tail } = settings;
  const profile = profiles.current();
  return {
    now: Date.now(),
    software: softwareHere(version),
    settings: changedSettings(),
    instances: instances.all().map((instance) => ({
      instance,
      isCurrent: instance.key === instances.current().key,
      accounts: sessions
        .all()
        .filter((session) => session.instance === instance.key)
        .map((session) => ({
          session,
          isInUse: sessions.current(instance.key)?.id === session.id,
          isRefused: refresh.isRefused(keyOf(session)),
        })),
      isUnreadable: sessions.isUnreadable(instance.key),
      hasEnded: sessions.ended(instance.key) !== undefined,
    })),
    server: { state: supervisor.state(), profile: profile.name, lastPort: profile.lastPort.get(), history: history.states() },
    feeds: outcomes.all(),
    log: tail.lines(),
  };
}

function softwareHere(version: string): Diagnostics['software'] {
  const { appName, appHost, language, remoteName, uiKind } = vscode.env;
  return {
    [PRODUCT]: version,
    [appName]: `${vscode.version} (${appHost}, ${uiKind === vscode.UIKind.Web ? 'web' : 'desktop'})`,
    'Node.js': process.version,
    System: `${process.platform} ${os.release()} ${process.arch}`,
    Remote: remoteName ?? 'none',
    'Trusted workspace': vscode.workspace.isTrusted ? 'yes' : 'no',
    'Display language': language,
  };
}

function changedSettings(): readonly ChangedSetting[] {
  const configuration = vscode.workspace.getConfiguration();
  return Object.values(settingIds).flatMap((id): ChangedSetting[] => {
    const value: unknown = configuration.get(id);
    const stored = configuration.inspect<unknown>(id);
    if (stored === undefined || JSON.stringify(value) === JSON.stringify(stored.defaultValue)) return [];
    const from =
      stored.workspaceFolderValue !== undefined ? 'folder' : stored.workspaceValue !== undefined ? 'workspace' : 'user';
    return [{ id, value, from }];
  });
}
