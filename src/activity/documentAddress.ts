import { type ActivityEvent, commitOfNote, readSha } from '../contract/activity.ts';
import { visible } from '../contract/visibleText.ts';
import { describeEvent } from './describe.ts';

/** URI scheme of the read-only documents. */
export const DOCUMENT_SCHEME = 'signalbox';

/** Target of a document and the account that reads it. */
export type DocumentAddress = { readonly account: string } & (
  | { readonly kind: 'issue' | 'mergeRequest'; readonly project: number; readonly iid: number }
  /** Commit with comments. */
  | { readonly kind: 'commit'; readonly project: number; readonly sha: string }
  /** Pushes, membership changes, and targets without a separate API resource. */
  | { readonly kind: 'event'; readonly event: number }
);

/** Parts of a URI. */
export interface UriParts {
  readonly path: string;
  readonly query: string;
}

/** Returns the address of the issue, merge request or commit that an event is about, else of the event itself. */
export function documentOfEvent(account: string, event: ActivityEvent): DocumentAddress {
  const { note, project_id: project, id } = event;
  const sha = note === null ? undefined : commitOfNote(note);
  if (sha !== undefined && project !== null) return { account, kind: 'commit', project, sha };
  const [type, iid] = note === null ? [event.target_type, event.target_iid] : [note.noteable_type, note.noteable_iid];
  const kind = kindOfTarget(type);
  return kind !== undefined && iid !== null && project !== null
    ? { account, kind, project, iid }
    : { account, kind: 'event', event: id };
}

function kindOfTarget(type: string | null): 'issue' | 'mergeRequest' | undefined {
  if (type === 'MergeRequest') return 'mergeRequest';
  return type === 'Issue' || type === 'WorkItem' ? 'issue' : undefined;
}

/** Returns the URI of a document. Its path is the tab title in the language of `locale`; only the query is parsed. */
export function documentUri(address: DocumentAddress, event: ActivityEvent, locale: string): UriParts {
  if (address.kind === 'commit') {
    const { account, kind, project, sha } = address;
    const parameters = { account, kind, project: String(project), sha };
    return {
      path: documentPath(`${sha.slice(0, 8)} ${event.target_title ?? ''}`),
      query: new URLSearchParams(parameters).toString(),
    };
  }
  if (address.kind !== 'event') return targetUri(address, event.target_title ?? '');
  const query = { account: address.account, kind: 'event', event: String(address.event) };
  return { path: documentPath(describeEvent(event, locale).label), query: new URLSearchParams(query).toString() };
}

/** Returns the URI of the document of an issue or merge request. */
export function targetUri(
  { account, kind, project, iid }: DocumentAddress & { readonly kind: 'issue' | 'mergeRequest' },
  title: string,
): UriParts {
  const query = { account, kind, project: String(project), iid: String(iid) };
  return {
    path: documentPath(`${kind === 'issue' ? '#' : '!'}${iid} ${title}`),
    query: new URLSearchParams(query).toString(),
  };
}

/** Returns the path of a document with this title. A title must not change the file type or contain folders. */
export function documentPath(title: string, extension = 'md'): string {
  const file = visible(title)
    .replace(/[\\/\p{Cc}]/gu, ' ')
    .trim()
    .slice(0, 80)
    .trim();
  return `/${file}.${extension}`;
}

export function readDocumentUri({ query }: Pick<UriParts, 'query'>): DocumentAddress | undefined {
  const parameters = new URLSearchParams(query);
  const account = parameters.get('account');
  if (account === null) return undefined;
  const kind = parameters.get('kind');
  if (kind === 'event') {
    const event = numberOf(parameters.get('event'));
    return event === undefined ? undefined : { account, kind: 'event', event };
  }
  const project = numberOf(parameters.get('project'));
  if (kind === 'commit') {
    const sha = readSha(parameters.get('sha'));
    return project === undefined || sha === undefined ? undefined : { account, kind, project, sha };
  }
  const iid = numberOf(parameters.get('iid'));
  return (kind !== 'issue' && kind !== 'mergeRequest') || project === undefined || iid === undefined
    ? undefined
    : { account, kind, project, iid };
}

/** Shareable link to an event: `vscode://signalbox.signalbox/event/12?instance=…`. */
export interface EventLink {
  readonly event: number;
  /** Key of the instance. */
  readonly instance: string;
}

const EVENT_PATH = /^\/event\/(\d{1,15})\/?$/;

export function readEventLink({ path, query }: UriParts): EventLink | undefined {
  const event = numberOf(EVENT_PATH.exec(path)?.[1] ?? null);
  const instance = new URLSearchParams(query).get('instance');
  return event === undefined || instance === null || instance === '' ? undefined : { event, instance };
}

/** Returns the link as text. `scheme` is the URI scheme of the editor, `extension` the id of this extension. */
export function eventLink({ event, instance }: EventLink, scheme: string, extension: string): string {
  return `${scheme}://${extension}/event/${event}?${new URLSearchParams({ instance }).toString()}`;
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
