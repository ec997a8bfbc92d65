import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import type { Connection } from '../instances/connection.ts';
import { browserUrl } from '../support/markdown.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import {
  DOCUMENT_SCHEME,
  type DocumentAddress,
  documentOfEvent,
  documentPath,
  documentUri,
  readDocumentUri,
  targetUri,
  type UriParts,
} from './documentAddress.ts';
import { loadCommit, loadIssue, loadMergeRequest, loadPush, titleOfTarget } from './documentLoad.ts';
import type { DocumentContent } from './documentParts.ts';
import { commitDocument, eventDocument, issueDocument, mergeRequestDocument } from './documentText.ts';
import { findEvent } from './findEvent.ts';
import { pageOfEvent } from './links.ts';
import type { ProjectNames } from './projects.ts';

export interface DocumentSettings {
  readonly connection: Connection;
  readonly names: () => ProjectNames | undefined;
  /** Returns an event that a view has loaded. */
  readonly loaded: (id: number) => ActivityEvent | undefined;
}

/** Issue or merge request, and the comment to show. */
export interface OpenedTarget {
  readonly kind: 'issue' | 'mergeRequest';
  readonly project: number;
  readonly iid: number;
  readonly note: number | undefined;
}

/** Content of a document of another feature. */
export interface OtherContent {
  readonly text: string;
  /** Web page of the document. */
  readonly page?: string | undefined;
}

/** Loads a document of another feature from the parameters of its URI. Rejects with an `ApiFailure`. */
export type OtherDocument = (client: Client, parameters: URLSearchParams, uri: vscode.Uri) => Promise<OtherContent>;

/** Document of another feature that is to be opened. */
export interface OtherAddress {
  readonly kind: string;
  /** Title of the tab. */
  readonly title: string;
  /** File name extension; `md` by default. */
  readonly extension?: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Read-only documents about the targets of events, loaded from the API when they are opened or refreshed. */
export interface Documents extends vscode.Disposable {
  readonly open: (event: ActivityEvent) => Promise<void>;
  /** Opens an issue or merge request. Rejects with an `ApiFailure` if it cannot be read. */
  readonly openTarget: (target: OpenedTarget) => Promise<void>;
  /** Adds a kind of documents. */
  readonly add: (kind: string, load: OtherDocument) => void;
  /** Returns the URI of a document of an added kind at a path; undefined while signed out. */
  readonly uriOf: (kind: string, path: string, parameters: OtherAddress['parameters']) => vscode.Uri | undefined;
  /** Opens a document of an added kind with its current content. */
  readonly openOther: (address: OtherAddress) => Promise<void>;
  readonly refresh: (uri: vscode.Uri) => void;
  /** Returns the web page of a loaded document. */
  readonly pageOf: (uri: vscode.Uri) => string | undefined;
}

export function createDocuments({ connection, names, loaded }: DocumentSettings): Documents {
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const pages = new Map<string, string>();
  /** First line of each comment, by document and comment id. */
  const comments = new Map<string, ReadonlyMap<number, number>>();
  /** Comment to scroll to after a document is reloaded, by document. */
  const pendingComments = new Map<string, number>();
  /** Events of opened documents, because views may no longer contain them. */
  const opened = new Map<string, ActivityEvent>();
  const others = new Map<string, OtherDocument>();
  const locale = vscode.env.language;

  async function textOf(uri: vscode.Uri): Promise<string> {
    const { text, lines } = await contentOf(uri);
    comments.set(uri.toString(), lines);
    return text;
  }

  async function contentOf(uri: vscode.Uri): Promise<DocumentContent> {
    const parameters = new URLSearchParams(uri.query);
    const other = others.get(parameters.get('kind') ?? '');
    const address = other === undefined ? readDocumentUri(uri) : undefined;
    if (address === undefined && other === undefined) return textOnly(l10n.t("Signalbox can't open this address."));
    const client = connection.client();
    if (client === undefined || accountKeyOf(connection.state()) !== parameters.get('account')) {
      return textOnly(
        l10n.t(
          'This document belongs to another account or instance. Select that instance, sign in, then refresh this document.',
        ),
      );
    }
    try {
      if (address !== undefined)
        return await (address.kind === 'event' ? eventContent(client, address, uri) : targetContent(client, address, uri));
      const loadedOther = await other?.(client, parameters, uri);
      remember(uri, loadedOther?.page);
      return textOnly(loadedOther?.text ?? '');
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      return textOnly(failure.message);
    }
  }

  async function targetContent(
    client: Client,
    address: Exclude<DocumentAddress, { kind: 'event' }>,
    uri: vscode.Uri,
  ): Promise<DocumentContent> {
    const known = names();
    const { project } = address;
    if (address.kind === 'commit') {
      const [loadedCommit] = await Promise.all([loadCommit(client, project, address.sha), known?.learn([project])]);
      remember(uri, loadedCommit.commit.web_url);
      return commitDocument(loadedCommit, known?.get(project), locale);
    }
    const { kind, iid } = address;
    if (kind === 'issue') {
      const [loadedIssue] = await Promise.all([loadIssue(client, project, iid), known?.learn([project])]);
      remember(uri, loadedIssue.issue.web_url);
      return issueDocument(loadedIssue, known?.get(project), locale);
    }
    const [loadedRequest] = await Promise.all([loadMergeRequest(client, project, iid), known?.learn([project])]);
    remember(uri, loadedRequest.mergeRequest.web_url);
    return mergeRequestDocument(loadedRequest, known?.get(project), locale);
  }

  async function eventContent(
    client: Client,
    { account, event: id }: DocumentAddress & { kind: 'event' },
    uri: vscode.Uri,
  ): Promise<DocumentContent> {
    const event = opened.get(`${account}/${id}`) ?? loaded(id) ?? (await findEvent(client, id));
    if (event === undefined)
      return textOnly(l10n.t("Event not found. It may be too old or deleted, or this account doesn't have access to it."));
    const { project_id: number, push_data: push } = event;
    const known = names();
    const [pushed] = await Promise.all([
      number === null || push === null ? undefined : loadPush(client, number, push),
      number === null ? undefined : known?.learn([number]),
    ]);
    const project = number === null ? undefined : known?.get(number);
    const page = pageOfEvent(event, project?.web_url);
    remember(uri, page);
    return eventDocument(event, pushed, project, page, locale);
  }

  function remember(uri: vscode.Uri, page: string | undefined): void {
    const target = browserUrl(page);
    if (target !== undefined) pages.set(uri.toString(), target);
  }

  const provider = vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, {
    onDidChange: changes.event,
    provideTextDocumentContent: textOf,
  });
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri, isClosed }) => {
    // VS Code also reports a change of the language, which follows the opening of each document.
    if (!isClosed) return;
    pages.delete(uri.toString());
    comments.delete(uri.toString());
    pendingComments.delete(uri.toString());
  });
  const changing = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    const key = document.uri.toString();
    const note = pendingComments.get(key);
    const line = note === undefined ? undefined : comments.get(key)?.get(note);
    const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === document);
    if (line === undefined || editor === undefined) return;
    pendingComments.delete(key);
    scrollTo(editor, line);
  });

  async function show(parts: UriParts, note: number | undefined): Promise<void> {
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, ...parts });
    const key = uri.toString();
    const wasOpen = comments.has(key);
    pendingComments.delete(key);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
    if (note === undefined) return;
    const line = comments.get(key)?.get(note);
    if (line !== undefined) scrollTo(editor, line);
    // A document that was already open may be older than the comment, so it is reloaded.
    else if (wasOpen) {
      pendingComments.set(key, note);
      changes.fire(uri);
    }
  }

  return {
    open: async (event) => {
      const account = accountKeyOf(connection.state());
      if (account === undefined) return;
      const address = documentOfEvent(account, event);
      if (address.kind === 'event') opened.set(`${account}/${event.id}`, event);
      await show(documentUri(address, event, locale), event.note?.id);
    },
    openTarget: async ({ kind, project, iid, note }) => {
      const [client, account] = [connection.client(), accountKeyOf(connection.state())];
      if (client === undefined || account === undefined) return;
      const title = await titleOfTarget(client, kind, project, iid);
      await show(targetUri({ account, kind, project, iid }, title), note);
    },
    add: (kind, load) => void others.set(kind, load),
    uriOf: (kind, path, parameters) => {
      const account = accountKeyOf(connection.state());
      if (account === undefined) return undefined;
      const query = new URLSearchParams({ account, kind, ...parameters }).toString();
      return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${path}`, query });
    },
    openOther: async ({ kind, title, extension = 'md', parameters }) => {
      const account = accountKeyOf(connection.state());
      if (account === undefined) return;
      const query = new URLSearchParams({ account, kind, ...parameters }).toString();
      const parts = { path: documentPath(title, extension), query };
      const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, ...parts });
      const wasOpen = comments.has(uri.toString());
      await show(parts, undefined);
      if (wasOpen) changes.fire(uri);
    },
    refresh: (uri) => changes.fire(uri),
    pageOf: (uri) => pages.get(uri.toString()),
    dispose: () => {
      provider.dispose();
      closing.dispose();
      changing.dispose();
      changes.dispose();
    },
  };
}

function textOnly(text: string): DocumentContent {
  return { text: text, lines: new Map() };
}

function scrollTo(editor: vscode.TextEditor, line: number): void {
  const location = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(location, location);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.AtTop);
}
