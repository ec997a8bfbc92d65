import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ActivityEvent } from '../contract/activity.ts';
import { commands } from '../ids.ts';
import { hasPushDiff } from '../pushDiff/model.ts';
import { createLazyTree, type LazyTree } from '../ui/lazyTree.ts';
import { moreItem } from '../ui/treeItem.ts';
import type { ClosedDays } from './closedDays.ts';
import { documentOfEvent } from './documentAddress.ts';
import { hoverOfEvent } from './hover.ts';
import type { Feed, FeedState } from './model.ts';
import type { ProjectNames } from './projects.ts';
import { type ActivityRow, type RowSettings, rowsOf } from './rows.ts';

export interface ActivityTreeSettings {
  readonly feed: Feed;
  readonly details: () => RowSettings['details'];
  /** Returns the state of the feed with the events to show. */
  readonly state: () => FeedState;
  /** Returns a function that tells the events that are unread now. */
  readonly isUnread: () => RowSettings['isUnread'];
  readonly maxEvents: () => number;
  readonly names: () => ProjectNames | undefined;
  readonly closedDays: ClosedDays;
}

/** Context values of event rows, used in the `when` clauses of menus: those about an issue or merge request, pushes, and others. */
const THREAD_EVENT = 'event.thread';
const PUSH_EVENT = 'event.push';
const EVENT = 'event';

/** Creates the tree items of a feed. */
export function createActivityTree({
  feed,
  state,
  details,
  isUnread,
  maxEvents,
  names,
  closedDays,
}: ActivityTreeSettings): LazyTree<ActivityRow> {
  return createLazyTree<ActivityRow>({
    roots: () =>
      rowsOf(state(), {
        prefix: feed.sourceKey() ?? '',
        details: details(),
        isUnread: isUnread(),
        maxEvents: maxEvents(),
        project: (id) => names()?.get(id),
        now: new Date(),
        locale: vscode.env.language,
      }),
    ready: feed.showCached,
    children: (row) => (row.kind === 'day' ? row.rows : []),
    item: (row) => itemOf(row, closedDays),
    hover: async (row, item) => {
      if (row.kind !== 'event') return item;
      const { event } = row;
      const known = names();
      if (event.project_id !== null) await known?.learn([event.project_id]);
      const project = event.project_id === null ? undefined : known?.get(event.project_id);
      const markdown = new vscode.MarkdownString(hoverOfEvent(event, project, vscode.env.language));
      markdown.isTrusted = false;
      markdown.supportHtml = false;
      item.tooltip = markdown;
      return item;
    },
  });
}

function itemOf(row: ActivityRow, closedDays: ClosedDays): vscode.TreeItem {
  switch (row.kind) {
    case 'day': {
      const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(row.label, closedDays.has(row.id) ? Collapsed : Expanded);
      item.id = row.id;
      item.contextValue = 'day';
      const count = row.rows.length;
      const label = count === 1 ? l10n.t('{0}, 1 event', row.label) : l10n.t('{0}, {1} events', row.label, count);
      item.accessibilityInformation = { label };
      return item;
    }
    case 'event': {
      const item = new vscode.TreeItem(row.label, vscode.TreeItemCollapsibleState.None);
      item.id = row.id;
      item.description = row.description;
      item.iconPath = new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color));
      const { push_data: push } = row.event;
      const isPush = push !== null && hasPushDiff(push);
      item.contextValue = isPush ? PUSH_EVENT : isThread(row.event) ? THREAD_EVENT : EVENT;
      item.accessibilityInformation = { label: row.spoken };
      const command = isPush ? commands.activityOpenChanges : commands.activityOpen;
      item.command = { command, title: l10n.t('Open'), arguments: [row] };
      return item;
    }
    case 'more':
      return moreItem(row, commands.activityLoadMore);
  }
}

/** Returns true if an event is about an issue or merge request. */
function isThread(event: ActivityEvent): boolean {
  const { kind } = documentOfEvent('', event);
  return kind === 'issue' || kind === 'mergeRequest';
}
