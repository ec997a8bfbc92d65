import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { formatOrder, formatStatusChoice, STATUS_CHOICES, type StatusChoice } from './appearance.ts';
import { ERROR_ORDERS, type ErrorOrder } from './source.ts';

const ORDER_KEY = 'errorTracking.order';
const STATUS_KEY = 'errorTracking.status';

/** Errors that the view lists, and their order. Both are remembered per workspace. */
export interface ErrorSelection {
  readonly order: () => ErrorOrder;
  readonly status: () => StatusChoice;
  /** Lets the user select the order. */
  readonly pickOrder: () => Promise<void>;
  /** Lets the user select the status. */
  readonly pickStatus: () => Promise<void>;
}

export function createErrorSelection(memory: vscode.Memento): ErrorSelection {
  const order = (): ErrorOrder => ERROR_ORDERS.find((one) => one === memory.get(ORDER_KEY)) ?? 'last_seen';
  const status = (): StatusChoice => STATUS_CHOICES.find((one) => one === memory.get(STATUS_KEY)) ?? 'unresolved';
  return {
    order,
    status,
    pickOrder: async () => {
      const title = l10n.t('Sort Errors');
      const items = ERROR_ORDERS.map((one) => ({ one, label: formatOrder(one), picked: one === order() }));
      const placeHolder = l10n.t('Select how to sort the errors');
      const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
      if (picked !== undefined) await memory.update(ORDER_KEY, picked.one);
    },
    pickStatus: async () => {
      const title = l10n.t('Filter Errors by Status');
      const items = STATUS_CHOICES.map((one) => ({ one, label: formatStatusChoice(one), picked: one === status() }));
      const placeHolder = l10n.t('Select the status of the errors to list');
      const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
      if (picked !== undefined) await memory.update(STATUS_KEY, picked.one);
    },
  };
}
