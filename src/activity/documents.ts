import * as vscode from 'vscode';
import type { ActivityEvent } from '../contract/activity.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { browserUrl } from '../support/markdown.ts';
import { DOCUMENT_SCHEME, documentOfEvent, documentPath, documentUri, targetUri, type UriParts } from './documentAddress.ts';
import { loadContent, type OtherDocument } from './documentContent.ts';
import { titleOfTarget } from './documentLoad.ts';
import type { ProjectNames } from './projects.ts';
import { createRenderedDocuments } from './renderedDocuments.ts';

export interface DocumentSettings {
  readonly connection: Connection;
  readonly names: (account: BoundAccount) => ProjectNames;
  /** Returns an event that a view has loaded for an account. */
  readonly loaded: (account: string, id: number) => ActivityEvent | undefined;
  /** Opens a web page that a document links to, on a local server as the account of the document. */
  readonly openPage: (address: string, account: BoundAccount) => Promise<void>;
}

/** Issue or merge request, and the comment to show. */
export interface OpenedTarget {
  readonly kind: 'issue' | 'mergeRequest';
  readonly project: number;
  readonly iid: number;
  readonly note: number | undefined;
}

/** Document of another feature that is to be opened. */
export interface OtherAddress {
  readonly kind: string;
  /** Title of the tab. */
  readonly title: string;
  /** File name extension; `md` by default. */
  readonly extension?: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Read-only documents about the targets of events, loaded from the API when they are opened or refreshed. Each belongs to the account that
 * it was opened with.
 */
export interface Documents extends vscode.Disposable {
  readonly open: (event: ActivityEvent, account: BoundAccount) => Promise<void>;
  /** Opens an issue or merge request. Rejects with an `ApiFailure` if it cannot be read. */
  readonly openTarget: (target: OpenedTarget, account: BoundAccount) => Promise<void>;
  /** Adds a kind of documents. */
  readonly add: (kind: string, load: OtherDocument) => void;
  /** Returns the URI of a document of an added kind at a path. */
  readonly uriOf: (kind: string, path: string, parameters: OtherAddress['parameters'], account: BoundAccount) => vscode.Uri;
  /** Opens a document of an added kind with its current content. */
  readonly openOther: (address: OtherAddress, account: BoundAccount) => Promise<void>;
  readonly refresh: (uri: vscode.Uri) => void;
  /** Returns the account of a document. */
  readonly accountOf: (uri: vscode.Uri) => BoundAccount;
  /** Returns the web page of a loaded document. */
  readonly pageOf: (uri: vscode.Uri) => string | undefined;
}

export function createDocuments({ connection, names, loaded, openPage }: DocumentSettings): Documents {
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const pages = new Map<string, string>();
  /** First line of each comment, by document and comment id. */
  const comments = new Map<string, ReadonlyMap<number, number>>();
  /** Comment to scroll to after a document is reloaded, by document. */
  const pendingComments = new Map<string, number>();
  /** Events of opened documents, because views may no longer contain them. */
  const opened = new Map<string, ActivityEvent>();
  const others = new Map<string, OtherDocument>();
  const waiting = createWaitingDocuments(connection, (uri) => changes.fire(uri));
  const locale = vscode.env.language;

  async function textOf(uri: vscode.Uri): Promise<string> {
    waiting.loading(uri);
    const content = await loadContent(
      {
        connection,
        names,
        other: (kind) => others.get(kind),
        event: (account, id) => opened.get(`${account}/${id}`) ?? loaded(account, id),
      },
      uri,
    );
    const page = browserUrl(content.page);
    if (page !== undefined) pages.set(uri.toString(), page);
    comments.set(uri.toString(), content.lines);
    return content.text;
  }

  const provider = vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, {
    onDidChange: changes.event,
    provideTextDocumentContent: textOf,
  });
  const colors = registerNoColors();
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri, isClosed }) => {
    // VS Code also reports a change of the language, which follows the opening of each document.
    if (!isClosed) return;
    waiting.closed(uri);
    pages.delete(uri.toString());
    comments.delete(uri.toString());
    pendingComments.delete(uri.toString());
  });
  const changing = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    const key = document.uri.toString();
    const note = pendingComments.get(key);
    const line = note === undefined ? undefined : comments.get(key)?.get(note);
    const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === document);
    if (line === undefined) return;
    pendingComments.delete(key);
    if (editor === undefined) rendered.scrollTo(document.uri, line);
    else scrollTo(editor, line);
  });

  const accountOf = (uri: vscode.Uri): BoundAccount => connection.bound(new URLSearchParams(uri.query).get('account') ?? '');
  const rendered = createRenderedDocuments((address, uri) => openPage(address, accountOf(uri)));

  async function show(parts: UriParts, note: number | undefined): Promise<void> {
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, ...parts });
    const key = uri.toString();
    const wasOpen = comments.has(key);
    pendingComments.delete(key);
    // Loads the content, which says where the comment is.
    await vscode.workspace.openTextDocument(uri);
    const line = note === undefined ? undefined : comments.get(key)?.get(note);
    await rendered.show(uri, line);
    // A document that was already open may be older than the comment, so it is reloaded.
    if (note !== undefined && line === undefined && wasOpen) {
      pendingComments.set(key, note);
      changes.fire(uri);
    }
  }

  /** Shows a document as text, which has code lenses. */
  async function showText(parts: UriParts): Promise<void> {
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, ...parts });
    const wasOpen = comments.has(uri.toString());
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
    if (wasOpen) changes.fire(uri);
  }

  return {
    open: async (event, { key: account }) => {
      const address = documentOfEvent(account, event);
      if (address.kind === 'event') opened.set(`${account}/${event.id}`, event);
      await show(documentUri(address, event, locale), event.note?.id);
    },
    openTarget: async ({ kind, project, iid, note }, account) => {
      const title = await titleOfTarget(account.client(), kind, project, iid);
      await show(targetUri({ account: account.key, kind, project, iid }, title), note);
    },
    add: (kind, load) => void others.set(kind, load),
    uriOf: (kind, path, parameters, { key: account }) => {
      const query = new URLSearchParams({ account, kind, ...parameters }).toString();
      return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${path}`, query });
    },
    openOther: async ({ kind, title, extension = 'md', parameters }, { key: account }) => {
      const query = new URLSearchParams({ account, kind, ...parameters }).toString();
      await showText({ path: documentPath(title, extension), query });
    },
    refresh: (uri) => changes.fire(uri),
    accountOf,
    pageOf: (uri) => pages.get(uri.toString()),
    dispose: () => {
      vscode.Disposable.from(provider, colors, rendered, waiting, closing, changing, changes).dispose();
    },
  };
}

/** Otherwise VS Code shows a color beside references such as #174. With a provider, it looks for no colors itself. */
function registerNoColors(): vscode.Disposable {
  return vscode.languages.registerColorProvider(
    { scheme: DOCUMENT_SCHEME },
    { provideDocumentColors: () => [], provideColorPresentations: () => [] },
  );
}

/** Documents of an account that could not be used when they were loaded, for example after a reload of the window. */
interface WaitingDocuments extends vscode.Disposable {
  readonly loading: (uri: vscode.Uri) => void;
  readonly closed: (uri: vscode.Uri) => void;
}

/** Loads documents again when their account can be used. */
function createWaitingDocuments(connection: Connection, reload: (uri: vscode.Uri) => void): WaitingDocuments {
  const waiting = new Map<string, vscode.Uri>();
  const isUsable = (uri: vscode.Uri): boolean =>
    connection.bound(new URLSearchParams(uri.query).get('account') ?? '').problem() === undefined;
  const connecting = connection.onDidChangeAccounts(() => {
    for (const uri of waiting.values()) if (isUsable(uri)) reload(uri);
  });
  return {
    loading: (uri) => {
      if (isUsable(uri)) waiting.delete(uri.toString());
      else waiting.set(uri.toString(), uri);
    },
    closed: (uri) => void waiting.delete(uri.toString()),
    dispose: () => {
      connecting.dispose();
    },
  };
}

function scrollTo(editor: vscode.TextEditor, line: number): void {
  const location = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(location, location);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.AtTop);
}
