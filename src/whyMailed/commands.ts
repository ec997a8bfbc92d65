import * as vscode from 'vscode';
import { activeDocument } from '../activity/activeDocument.ts';
import { commands } from '../ids.ts';
import type { MailRow } from '../mailbox/rows.ts';
import { type AskSettings, type ExplainedRow, explainEvent, explainMail } from './ask.ts';
import { changeDecision, type ChangeSettings } from './change.ts';

export interface WhyMailedSettings extends AskSettings, ChangeSettings {
  /** Returns the mail row that a command without a row applies to. */
  readonly selectedMail: () => MailRow | undefined;
}

/** Commands that explain why the user was mailed or would be, and change that. */
export function whyMailedCommands(settings: WhyMailedSettings) {
  return {
    [commands.whyMailedExplain]: (target?: ExplainedRow | vscode.Uri) => explainEvent(settings, target),
    [commands.whyMailedExplainMail]: (row?: MailRow) => explainMail(settings, row ?? settings.selectedMail()),
    [commands.whyMailedChange]: (target?: vscode.Uri, index?: number) => {
      const uri = target instanceof vscode.Uri ? target : activeDocument();
      return changeDecision(settings, uri, typeof index === 'number' ? index : undefined);
    },
  };
}
