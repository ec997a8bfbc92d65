import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Documents, OpenedTarget } from '../activity/documents.ts';
import { failureOfError } from '../api/failures.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { MailBasic } from '../contract/mail.ts';
import { mailText } from './mailText.ts';
import { getMail, getMailSource } from './requests.ts';

/** Kinds of the documents. */
const MESSAGE = 'mail';
const SOURCE = 'mailSource';

/** Adds the documents with the text and the source of a mail. */
export function addMailDocuments(documents: Documents): void {
  documents.add(MESSAGE, async (account, parameters) => {
    const mail = await getMail(account.client(), Number(parameters.get('id')));
    return { text: mailText(mail, vscode.env.language), page: mail.web_url };
  });
  documents.add(SOURCE, async (account, parameters) => ({
    text: (await getMailSource(account.client(), Number(parameters.get('id')))).replace(/\r\n/g, '\n'),
  }));
}

export async function openMessage(documents: Documents, mail: MailBasic, account: BoundAccount): Promise<void> {
  await documents.openOther({ kind: MESSAGE, title: titleOf(mail), parameters: { id: String(mail.id) } }, account);
}

export async function openSource(documents: Documents, mail: MailBasic, account: BoundAccount): Promise<void> {
  const parameters = { id: String(mail.id) };
  await documents.openOther({ kind: SOURCE, title: titleOf(mail), extension: 'eml', parameters }, account);
}

/** Opens the issue or merge request that a mail is about, else the mail itself. Rejects with an `ApiFailure` if it cannot be read. */
export async function openTarget(documents: Documents, mail: MailBasic, account: BoundAccount): Promise<void> {
  const target = targetOf(mail);
  if (target === undefined) {
    await openMessage(documents, mail, account);
    return;
  }
  try {
    await documents.openTarget(target, account);
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    // It was deleted or is hidden now; the mail can still be read.
    if (failure.kind !== 'notFound' && failure.kind !== 'forbidden') throw error;
    await openMessage(documents, mail, account);
  }
}

function titleOf({ subject }: MailBasic): string {
  return subject === '' ? l10n.t('(no subject)') : subject;
}

/** Returns the issue or merge request that a mail is about. */
function targetOf({ about }: MailBasic): OpenedTarget | undefined {
  if (about === null || about.iid === null || about.project_id === null) return undefined;
  const kind = about.type === 'Issue' ? 'issue' : about.type === 'MergeRequest' ? 'mergeRequest' : undefined;
  return kind === undefined ? undefined : { kind, project: about.project_id, iid: about.iid, note: about.note_id ?? undefined };
}
