import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { type DocumentAddress, readDocumentUri } from './documentAddress.ts';
import { loadCommit, loadIssue, loadMergeRequest, loadPush } from './documentLoad.ts';
import { type DocumentContent, oneLine } from './documentParts.ts';
import { commitDocument, eventDocument, issueDocument, mergeRequestDocument } from './documentText.ts';
import { findEvent } from './findEvent.ts';
import { pageOfEvent } from './links.ts';
import type { ProjectNames } from './projects.ts';

/** Content of a document of another feature. */
export interface OtherContent {
  readonly text: string;
  /** Web page of the document. */
  readonly page?: string | undefined;
}

/** Loads a document of another feature for its account, from the parameters of its URI. Rejects with an `ApiFailure`. */
export type OtherDocument = (account: BoundAccount, parameters: URLSearchParams, uri: vscode.Uri) => Promise<OtherContent>;

/** Content of a document with its web page. */
export interface LoadedContent extends DocumentContent {
  readonly page?: string | undefined;
}

export interface ContentSettings {
  readonly connection: Connection;
  /** Returns the names of projects that an account knows. */
  readonly names: (account: BoundAccount) => ProjectNames;
  /** Returns how to load a kind of documents of other features. */
  readonly other: (kind: string) => OtherDocument | undefined;
  /** Returns an event that is known without a request. */
  readonly event: (account: string, id: number) => ActivityEvent | undefined;
}

/** Loads the content of a document. A failure is its content. */
export async function loadContent(settings: ContentSettings, uri: vscode.Uri): Promise<LoadedContent> {
  const { connection } = settings;
  const parameters = new URLSearchParams(uri.query);
  const other = settings.other(parameters.get('kind') ?? '');
  const address = other === undefined ? readDocumentUri(uri) : undefined;
  if (address === undefined && other === undefined) return textOnly(l10n.t("Signalbox can't open this address."));
  const account = connection.bound(parameters.get('account') ?? '');
  try {
    if (address !== undefined) {
      const content = await (address.kind === 'event'
        ? eventContent(account, settings, address)
        : targetContent(account.client(), settings.names(account), address));
      return { ...content, text: withReader(content.text, account) };
    }
    const content = await other?.(account, parameters, uri);
    return { ...textOnly(content?.text ?? ''), page: content?.page };
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    return textOnly(failure.message);
  }
}

/** Returns the Markdown of a document with the name of its account at the end, where it moves no line. */
export function withReader(text: string, account: BoundAccount): string {
  return `${text.trimEnd()}\n\n*${oneLine(l10n.t('Read as {0}', account.name()))}*\n`;
}

async function targetContent(
  client: Client,
  names: ProjectNames,
  address: Exclude<DocumentAddress, { kind: 'event' }>,
): Promise<LoadedContent> {
  const { project } = address;
  const locale = vscode.env.language;
  const learn = () => names.learn([project]);
  switch (address.kind) {
    case 'commit': {
      const [loaded] = await Promise.all([loadCommit(client, project, address.sha), learn()]);
      return { ...commitDocument(loaded, names.get(project), locale), page: loaded.commit.web_url };
    }
    case 'issue': {
      const [loaded] = await Promise.all([loadIssue(client, project, address.iid), learn()]);
      return { ...issueDocument(loaded, names.get(project), locale), page: loaded.issue.web_url };
    }
    case 'mergeRequest': {
      const [loaded] = await Promise.all([loadMergeRequest(client, project, address.iid), learn()]);
      return { ...mergeRequestDocument(loaded, names.get(project), locale), page: loaded.mergeRequest.web_url };
    }
  }
}

async function eventContent(
  account: BoundAccount,
  settings: ContentSettings,
  { event: id }: DocumentAddress & { kind: 'event' },
): Promise<LoadedContent> {
  const [client, names] = [account.client(), settings.names(account)];
  const event = settings.event(account.key, id) ?? (await findEvent(client, id));
  if (event === undefined)
    return textOnly(l10n.t("Event not found. It may be too old or deleted, or this account doesn't have access to it."));
  const { project_id: number, push_data: push } = event;
  const [pushed] = await Promise.all([
    number === null || push === null ? undefined : loadPush(client, number, push),
    number === null ? undefined : names.learn([number]),
  ]);
  const project = number === null ? undefined : names.get(number);
  const page = pageOfEvent(event, project?.web_url);
  return { ...eventDocument(event, pushed, project, page, vscode.env.language), page };
}

function textOnly(text: string): DocumentContent {
  return { text, lines: new Map() };
}
