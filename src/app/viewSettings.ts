import type * as vscode from 'vscode';
import type { ActivityRow } from '../activity/rows.ts';
import type { Send } from '../api/transport.ts';
import type { ErrorRow } from '../errorTracking/rows.ts';
import type { NotificationRow } from '../notifications/rows.ts';
import type { Log } from '../support/log.ts';
import type { LateView } from '../ui/lateView.ts';
import type { Accounts } from './accounts.ts';
import type { LocalServer } from './localServer.ts';

/** Views that activation registers in every window. */
export interface RegisteredViews {
  readonly activityMine: LateView<ActivityRow>;
  readonly activityProject: LateView<ActivityRow>;
  readonly trackedErrors: LateView<ErrorRow>;
  readonly notifications: LateView<NotificationRow>;
}

export interface ViewSettings {
  readonly context: vscode.ExtensionContext;
  readonly registered: RegisteredViews;
  readonly local: LocalServer;
  readonly accounts: Accounts;
  readonly send: Send;
  readonly log: Log;
}
