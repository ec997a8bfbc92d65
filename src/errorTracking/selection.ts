import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { chooseOne } from '../ui/steps.ts';
import { formatOrder } from './appearance.ts';
import { type ErrorFilter, readErrorFilter } from './filter.ts';
import { ERROR_ORDERS, type ErrorOrder } from './source.ts';

const ORDER_KEY = 'errorTracking.order';
const FILTER_KEY = 'errorTracking.filter';

/** Errors that the view lists, and their order. Both are remembered per workspace. */
export interface ErrorSelection {
  readonly order: () => ErrorOrder;
  readonly filter: () => ErrorFilter;
  readonly setFilter: (filter: ErrorFilter) => PromiseLike<void>;
  /** Lets the user select the order. */
  readonly pickOrder: () => Promise<void>;
}

export function createErrorSelection(memory: vscode.Memento): ErrorSelection {
  const order = (): ErrorOrder => ERROR_ORDERS.find((one) => one === memory.get(ORDER_KEY)) ?? 'last_seen';
  return {
    order,
    filter: () => readErrorFilter(memory.get(FILTER_KEY)),
    setFilter: (filter) => memory.update(FILTER_KEY, filter),
    pickOrder: async () => {
      const choices = ERROR_ORDERS.map((value) => ({ value, label: formatOrder(value) }));
      const texts = { title: l10n.t('Sort Errors'), placeholder: l10n.t('Select how to sort the errors') };
      const picked = await chooseOne({ ...texts, canGoBack: false, choices, current: order() });
      if (picked.kind === 'answered') await memory.update(ORDER_KEY, picked.value);
    },
  };
}
