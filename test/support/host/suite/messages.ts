// Messages of the extension in place of notifications and dialogs of VS Code: they stay until the user of a suite answers or clears them.
import type * as vscode from 'vscode';
import { until } from '../../until.ts';

export interface Toast {
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly buttons: readonly string[];
}

interface Message extends Toast {
  readonly detail: string;
  readonly isModal: boolean;
  readonly respond: (button: string | undefined) => void;
}

let all: readonly Message[] = [];

/** Replaces the messages of VS Code's API. */
export function replaceMessages(window: object): void {
  Object.assign(window, {
    showInformationMessage: shows('info'),
    showWarningMessage: shows('warning'),
    showErrorMessage: shows('error'),
  });
}

type Button = string | vscode.MessageItem;

function shows(severity: Toast['severity']) {
  return (message: string, ...rest: readonly (vscode.MessageOptions | Button)[]): Promise<Button | undefined> => {
    const isOptions = (value: vscode.MessageOptions | Button | undefined): value is vscode.MessageOptions =>
      typeof value === 'object' && !('title' in value);
    const [first] = rest;
    const options = isOptions(first) ? first : {};
    const buttons = rest.filter((value): value is Button => value !== undefined && !isOptions(value));
    return new Promise((resolve) => {
      const shown: Message = {
        severity,
        message,
        detail: options.detail ?? '',
        isModal: options.modal === true,
        buttons: buttons.map(titleOf),
        respond: (title) => {
          all = all.filter((one) => one !== shown);
          resolve(
            title === undefined
              ? buttons.find((button) => typeof button !== 'string' && button.isCloseAffordance === true)
              : buttons.find((button) => titleOf(button) === title),
          );
        },
      };
      all = [...all, shown];
    });
  };
}

function titleOf(button: Button): string {
  return typeof button === 'string' ? button : button.title;
}

/** Answers the oldest message like somebody who clicks its first button. Returns false if there is none. */
export function acceptMessage(): boolean {
  const [first] = all;
  first?.respond(first.buttons[0]);
  return first !== undefined;
}

/** Returns the open dialogs, in words. */
export function openDialogs(): readonly string[] {
  return all.filter(({ isModal }) => isModal).map(({ message }) => `dialog “${message}”`);
}

export function closeMessages(): void {
  for (const { respond } of all) respond(undefined);
}

/** Removes all messages, like the end of the window: the extension gets no response. */
export function abandonMessages(): void {
  all = [];
}

function press(found: Message | undefined, button: string): void {
  if (found?.buttons.includes(button) !== true) throw new Error(`no button “${button}” in ${JSON.stringify(found)}`);
  found.respond(button);
}

const toasts = (): readonly Message[] => all.filter(({ isModal }) => !isModal);
const dialogs = (): readonly Message[] => all.filter(({ isModal }) => isModal);

async function untilMessage(
  read: () => readonly Message[],
  accept: (message: Message) => boolean,
  what: string,
): Promise<Message> {
  const found = (await until(read, (list) => list.some(accept), what)).find(accept);
  if (found === undefined) throw new Error(what);
  return found;
}

/** The user's view of messages, and answers to them. */
export const messages = {
  toasts: async (): Promise<readonly Toast[]> =>
    toasts().map(({ severity, message, buttons }) => ({ severity, message, buttons })),
  /** Waits for a notification that satisfies `accept`. */
  async untilToast(accept: (toast: Toast) => boolean, what: string): Promise<Toast> {
    const { severity, message, buttons } = await untilMessage(toasts, accept, `notification: ${what}`);
    return { severity, message, buttons };
  },
  /** Clicks a button of the notification that contains `text`. */
  async clickToast(text: string, button: string): Promise<void> {
    press(await untilMessage(toasts, ({ message }) => message.includes(text), `notification with “${text}”`), button);
  },
  /** Waits for a dialog that contains `text` and returns its texts and buttons. */
  async dialog(text: string): Promise<{ message: string; detail: string; buttons: readonly string[] }> {
    const contains = ({ message, detail }: Message): boolean => `${message}\n${detail}`.includes(text);
    const { message, detail, buttons } = await untilMessage(dialogs, contains, `dialog with “${text}”`);
    return { message, detail, buttons };
  },
  /** Dismisses the open dialog, like Escape or its button Cancel. */
  async cancelDialog(): Promise<void> {
    (await untilMessage(dialogs, () => true, 'dialog')).respond(undefined);
  },
  countDialogs: async (): Promise<number> => dialogs().length,
  /** Clicks a button of the open dialog. */
  async clickDialogButton(button: string): Promise<void> {
    press(await untilMessage(dialogs, () => true, 'dialog'), button);
  },
};
