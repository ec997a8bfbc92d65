import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { type Issue, readIssue, readNote } from '../contract/issues.ts';
import type { Connection } from '../instances/connection.ts';
import { browserUrl } from '../support/markdown.ts';
import { accountKeyOf } from './accountKey.ts';
import { DOCUMENT_SCHEME, type DocumentAddress, documentOfEvent, documentUri, readDocumentUri } from './documentAddress.ts';
import { eventText, issueText } from './documentText.ts';
import { findEvent } from './findEvent.ts';
import { pageOfEvent } from './links.ts';
import type { ProjectNames } from './projects.ts';

export interface DocumentSettings {
  readonly connection: Connection;
  readonly names: () => ProjectNames | undefined;
  /** An event that a view has loaded. */
  readonly loaded: (id: number) => ActivityEvent | undefined;
}

/** Read-only documents of what events are about, made from answers of the API when they are opened or refreshed. */
export interface Documents extends vscode.Disposable {
  readonly open: (event: ActivityEvent) => Promise<void>;
  readonly refresh: (uri: vscode.Uri) => void;
  /** The page that shows the same in a browser, once the document is there. */
  readonly pageOf: (uri: vscode.Uri) => string | undefined;
}

export function createDocuments({ connection, names, loaded }: DocumentSettings): Documents {
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const pages = new Map<string, string>();
  /** Events that documents were opened for, since views go on to others. */
  const opened = new Map<string, ActivityEvent>();
  const locale = vscode.env.language;

  async function textOf(uri: vscode.Uri): Promise<string> {
    const address = readDocumentUri(uri);
    if (address === undefined) return l10n.t('This address names nothing that Signalbox can show.');
    const client = connection.client();
    if (client === undefined || accountKeyOf(connection.situation()) !== address.account) {
      return l10n.t('This belongs to another account or instance. Select that instance, sign in, and refresh this document.');
    }
    try {
      return await (address.kind === 'issue' ? ofIssue(client, address, uri) : ofEvent(client, address, uri));
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      return failure.message;
    }
  }

  async function ofIssue(
    client: Client,
    { project, iid }: DocumentAddress & { kind: 'issue' },
    uri: vscode.Uri,
  ): Promise<string> {
    const path = apiPath`/projects/${project}/issues/${iid}`;
    const [issue, notes] = await Promise.all([
      client.get<Issue>(path, readIssue),
      client.list(`${path}/notes`, readNote, { sort: 'asc', order_by: 'created_at', per_page: 100 }),
      names()?.learn([project]),
    ]);
    remember(uri, issue.web_url);
    const text = issueText(issue, notes.items, names()?.get(project), locale);
    return notes.next === undefined ? text : `${text}\n---\n\n${l10n.t('There are more comments in the browser.')}\n`;
  }

  async function ofEvent(
    client: Client,
    { account, event: id }: DocumentAddress & { kind: 'event' },
    uri: vscode.Uri,
  ): Promise<string> {
    const event = opened.get(`${account}/${id}`) ?? loaded(id) ?? (await findEvent(client, id));
    if (event === undefined) return l10n.t('This event is too old, is gone, or this account may not see it.');
    if (event.project_id !== null) await names()?.learn([event.project_id]);
    const project = event.project_id === null ? undefined : names()?.get(event.project_id);
    const page = pageOfEvent(event, project?.web_url);
    remember(uri, page);
    return eventText(event, project, page, locale);
  }

  function remember(uri: vscode.Uri, page: string | undefined): void {
    const target = browserUrl(page);
    if (target !== undefined) pages.set(uri.toString(), target);
  }

  const provider = vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, {
    onDidChange: changes.event,
    provideTextDocumentContent: textOf,
  });
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => pages.delete(uri.toString()));

  return {
    open: async (event) => {
      const account = accountKeyOf(connection.situation());
      if (account === undefined) return;
      const address = documentOfEvent(account, event);
      if (address.kind === 'event') opened.set(`${account}/${event.id}`, event);
      const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, ...documentUri(address, event, locale) });
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
    },
    refresh: (uri) => changes.fire(uri),
    pageOf: (uri) => pages.get(uri.toString()),
    dispose: () => {
      provider.dispose();
      closing.dispose();
      changes.dispose();
    },
  };
}
