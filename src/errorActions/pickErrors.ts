import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import type { GroupingOfError } from '../contract/errorDetail.ts';
import { ERROR_STATUSES, readTrackedError, type TrackedError } from '../contract/trackedErrors.ts';
import { visible } from '../contract/visibleText.ts';
import { formatEvents, formatStatus, titleOf } from '../errorTracking/rows.ts';
import type { ProjectAddress } from '../errorTracking/source.ts';
import { formatAge } from '../support/ages.ts';
import { showFailure } from '../ui/showFailure.ts';
import { ApiFailure } from '../api/failures.ts';

/** Number of errors that are offered at once. Others are found by typing. */
const PAGE = 50;
/** Delay after a keystroke before the search starts, in milliseconds. */
const TYPING_DELAY = 250;

interface ErrorItem extends vscode.QuickPickItem {
  readonly error: TrackedError;
}

function itemOf(error: TrackedError): ErrorItem {
  const events = formatEvents(error.count, new Intl.NumberFormat(vscode.env.language));
  return {
    error,
    label: visible(titleOf(error)),
    description: `${events} · ${formatStatus(error.status)}`,
    detail: visible(error.culprit),
  };
}

/** Lets the user select which of several errors remains after a merge; the one with the most events is first. */
export async function pickRemaining(errors: readonly TrackedError[]): Promise<TrackedError | undefined> {
  const items = errors.toSorted((one, other) => other.count - one.count).map(itemOf);
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Merge Errors'),
    placeHolder: l10n.t('Select the error that remains. It keeps its status.'),
    matchOnDetail: true,
  });
  return picked?.error;
}

/** Lets the user select errors of the project to merge into one. Returns their IDs; undefined if canceled. */
export function pickOthers(
  client: Client,
  project: ProjectAddress,
  into: TrackedError,
  describeFailure: (error: unknown) => string | undefined,
): Promise<readonly string[] | undefined> {
  const pick = vscode.window.createQuickPick<ErrorItem>();
  pick.title = l10n.t('Merge Errors');
  pick.placeholder = l10n.t('Select the errors to merge into this one. Type to search titles and stacks.');
  pick.canSelectMany = true;
  pick.matchOnDetail = true;
  let running = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function load(search: string): Promise<void> {
    running.abort();
    const current = new AbortController();
    running = current;
    pick.busy = true;
    try {
      const path = apiPath`/projects/${project.id}/error_tracking/errors`;
      const query = { status: ERROR_STATUSES, per_page: PAGE, ...(search === '' ? {} : { search }) };
      const { items } = await client.list(path, readTrackedError, query, current.signal);
      if (current.signal.aborted) return;
      const selected = pick.selectedItems;
      const selectedIds = new Set(selected.map(({ error }) => error.id));
      // The instance searches more than titles, so all of its results are shown.
      const found = items.filter(({ id }) => id !== into.id && !selectedIds.has(id));
      pick.items = [...selected, ...found.map((error) => ({ ...itemOf(error), alwaysShow: true }))];
      pick.selectedItems = selected;
    } catch (error) {
      const text = describeFailure(error);
      if (current.signal.aborted || text === undefined) return;
      if (error instanceof ApiFailure) void showFailure(error, text);
      else void vscode.window.showErrorMessage(text);
    }
    if (!current.signal.aborted) pick.busy = false;
  }

  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => {
      clearTimeout(timer);
      timer = setTimeout(() => void load(value.trim()), TYPING_DELAY);
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems.map(({ error }) => error.id));
      pick.hide();
    });
    pick.onDidHide(() => {
      clearTimeout(timer);
      running.abort();
      resolve(undefined);
      pick.dispose();
    });
    void load('');
    pick.show();
  });
}

/** Lets the user select which events of an error become an error of their own. Returns the hash of their grouping. */
export async function pickGrouping(groupings: readonly GroupingOfError[]): Promise<string | undefined> {
  const { language } = vscode.env;
  const number = new Intl.NumberFormat(language);
  const items = groupings.map(({ hash, title, count, lastSeen }) => ({
    hash,
    label: visible(title ?? hash.slice(0, 12)),
    description: [
      formatEvents(count, number),
      lastSeen === null ? '' : l10n.t('last seen {0}', formatAge(Date.now() - lastSeen, language)),
    ]
      .filter(Boolean)
      .join(' · '),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Split Error'),
    placeHolder: l10n.t('Select the events that become an error of their own'),
  });
  return picked?.hash;
}
