// Page objects of the workbench: the only place that depends on how VS Code builds its page. Every method waits for what it needs, up to a
// deadline, and reports what it found instead.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, type Locator, type Page } from 'playwright-core';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { chooseInMenu } from './menu.ts';
import { savedState } from './savedState.ts';
import { type View, viewOf } from './view.ts';
import { walkthroughOf } from './walkthrough.ts';

export type Toast = {
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly buttons: readonly string[];
};

export const THEMES = {
  light: { colorScheme: 'light', forcedColors: 'none', file: 'light_modern' },
  dark: { colorScheme: 'dark', forcedColors: 'none', file: 'dark_modern' },
  contrast: { colorScheme: 'dark', forcedColors: 'active', file: 'hc_black' },
} as const;
/** Settings that make VS Code follow the machine's light, dark and high contrast themes. */
export const THEME_SETTINGS = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
  'workbench.preferredLightColorTheme': 'Light Modern',
  'workbench.preferredDarkColorTheme': 'Dark Modern',
  'workbench.preferredHighContrastColorTheme': 'Default High Contrast',
} as const;
export type Theme = keyof typeof THEMES;

/** Time without changes after which a choice list counts as complete. */
const UNCHANGED_MS = 150;

export type Workbench = ReturnType<typeof workbenchOf>;

/**
 * Opens the workbench in a new tab and waits until the activity bar shows the extension's view container: from then on its commands and
 * views exist.
 */
export async function openWorkbench(context: BrowserContext, url: string, container: string): Promise<Workbench> {
  const page = await context.newPage();
  page.setDefaultTimeout(HANG_LIMIT_MS);
  const workbench = workbenchOf(page, container);
  await page.goto(url);
  await workbench.ready();
  return workbench;
}

function workbenchOf(page: Page, container: string) {
  const containerTab = page
    .locator('.activitybar .action-item')
    .filter({ has: page.locator(`a.action-label[aria-label^="${container}"]`) });
  const quickInput = page.locator('.quick-input-widget');
  const dialogs = page.locator('.monaco-dialog-box');
  const toasts = page.locator('.notifications-toasts .notification-toast');

  async function ready(): Promise<void> {
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    await containerTab.first().waitFor();
  }

  /** Runs a command by its exact title in the palette (category included: `Signalbox: Sign In`). */
  async function run(title: string): Promise<void> {
    await until(
      async () => {
        await openPalette(`>${title}`);
        return acceptEntry(title, 2_000).then(
          () => 'run',
          async () => {
            const seen = await quickInput.locator('.label-name').allInnerTexts();
            // The palette lists the commands that existed when it was opened; the extension may have added some since, so it is opened
            // again. Escape is only pressed while the palette is visible: elsewhere the key has other effects, for example it leads from
            // a walkthrough back to the list of all walkthroughs.
            if (await quickInput.isVisible()) await page.keyboard.press('Escape');
            return seen;
          },
        );
      },
      (seen) => seen === 'run',
      `command “${title}” in the palette`,
    );
    await until(inputValue, (value) => !value.startsWith('>'), `palette closed after “${title}”`);
  }

  /** Opens the palette. Something that was just opened may take the focus and close the palette; then it is opened again. */
  async function openPalette(text: string): Promise<void> {
    await until(
      async () => {
        if (!(await quickInput.isVisible())) await page.keyboard.press('F1');
        await quickInput
          .locator('input.input')
          .fill(text, { timeout: 1_000 })
          .catch(() => {});
        return inputValue();
      },
      (value) => value === text,
      `palette with “${text}”`,
    );
  }

  async function inputValue(): Promise<string> {
    return (await quickInput.isVisible()) ? quickInput.locator('input.input').inputValue() : '';
  }

  async function enterInput(text: string): Promise<void> {
    const input = quickInput.locator('input.input');
    await input.fill(text);
    await input.press('Enter');
  }

  /**
   * Moves the focus of the open choice list to the entry with this label and presses Enter. A click could hit another entry, because the
   * list may be sorted again between the moment when the row is found and the click; so the list must not have changed for a while.
   */
  async function acceptEntry(label: string, limitMs?: number): Promise<void> {
    let shown = '';
    let changedAt = 0;
    await until(
      async () => {
        const entries = await readEntries();
        const now = JSON.stringify(entries);
        if (now !== shown) [shown, changedAt] = [now, performance.now()];
        const target = entries.findIndex((entry) => entry.label === label);
        const focused = entries.findIndex(({ isFocused }) => isFocused);
        if (target === -1 || performance.now() - changedAt < UNCHANGED_MS) return entries;
        if (target === focused) {
          await page.keyboard.press('Enter');
          return 'accepted';
        }
        for (let n = Math.abs(target - focused); n > 0; n -= 1)
          await page.keyboard.press(target > focused ? 'ArrowDown' : 'ArrowUp');
        return entries;
      },
      (seen) => seen === 'accepted',
      `“${label}” in the open list`,
      limitMs,
    );
  }

  async function readEntries(): Promise<readonly { readonly label: string; readonly isFocused: boolean }[]> {
    if (!(await quickInput.isVisible())) return [];
    return quickInput.locator('.quick-input-list .monaco-list-row').evaluateAll((rows) =>
      rows
        .map((row) => {
          // A reused row keeps the hidden second line of the previous list.
          const names = [...row.querySelectorAll<HTMLElement>('.label-name')].filter((name) => name.checkVisibility());
          return {
            label: names[0]?.innerText ?? '',
            isFocused: row.classList.contains('focused'),
            index: Number(row.getAttribute('data-index')),
          };
        })
        .sort((one, other) => one.index - other.index),
    );
  }

  /** Shows the extension's container in the side bar. */
  async function openContainer(): Promise<void> {
    const title = page.locator('.sidebar .composite.title', { hasText: container });
    await until(
      async () => {
        // Clicking the tab of an open container closes it: if something else opened it at the same moment, the click is repeated.
        if (!(await title.isVisible())) await containerTab.first().click();
        return title.waitFor({ timeout: 2_000 }).then(
          () => true,
          () => false,
        );
      },
      (isOpen) => isOpen,
      `side bar with “${container}”`,
    );
  }

  /** Shows and expands a view of the container and returns its page object. */
  async function openView(title: string): Promise<View> {
    await openContainer();
    const view = viewOf(page, title);
    await view.expand();
    return view;
  }

  /** Shows a view of the container, and collapses the others. */
  async function openOnly(title: string): Promise<View> {
    const view = await openView(title);
    const others = page.locator(`.sidebar .pane-header[aria-expanded="true"]:not([aria-label^="${title}"])`);
    await until(
      async () => {
        if ((await others.count()) > 0) await others.first().locator('.title').click();
        return others.count();
      },
      (count) => count === 0,
      `only the view “${title}” expanded`,
    );
    return view;
  }

  /** Waits for a dialog of the workbench that contains `text` and returns its texts and buttons. */
  async function dialog(text: string): Promise<{ message: string; detail: string; buttons: readonly string[] }> {
    const box = dialogs.filter({ hasText: text }).first();
    await box.waitFor();
    const read = async (part: Locator): Promise<string> =>
      (await part.count()) > 0 ? (await part.first().innerText()).trim() : '';
    const message = await read(box.locator('.dialog-message-text'));
    const detail = await read(box.locator('.dialog-message-detail'));
    return {
      // A dialog without detail shows its message in place of the detail.
      message: message === '' ? detail : message,
      detail: message === '' ? '' : detail,
      buttons: await box.locator('.dialog-buttons .monaco-button').allInnerTexts(),
    };
  }

  /** Clicks a button of the open dialog by role and exact name. */
  async function clickDialogButton(button: string): Promise<void> {
    await dialogs.first().getByRole('button', { name: button, exact: true }).click();
  }

  /** Closes every open dialog and list. */
  async function stepBack(): Promise<void> {
    for (let open = 0; open < 5 && ((await dialogs.count()) > 0 || (await quickInput.isVisible())); open++) {
      await page.keyboard.press('Escape');
      await dialogs
        .first()
        .waitFor({ state: 'detached', timeout: 2_000 })
        .catch(() => {});
    }
  }

  /** Waits until the visible part of the Output panel satisfies `accept` and returns its lines. */
  function untilOutput(accept: (lines: readonly string[]) => boolean, what: string): Promise<readonly string[]> {
    const lines = page.locator('.part.panel .monaco-editor .view-line');
    // The editor paints spaces as no-break spaces.
    const read = async () => (await lines.allInnerTexts()).map((line) => line.replaceAll('\u00a0', ' '));
    return until(read, accept, `Output panel: ${what}`);
  }

  async function readToasts(): Promise<readonly Toast[]> {
    return toasts.evaluateAll((elements) =>
      elements.map((element) => {
        const icon = element.querySelector('.notification-list-item-icon')?.className ?? '';
        return {
          severity: icon.includes('codicon-error') ? 'error' : icon.includes('codicon-warning') ? 'warning' : 'info',
          message: (element.querySelector('.notification-list-item-message')?.textContent ?? '').trim(),
          buttons: [...element.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map((button) =>
            (button.textContent ?? '').trim(),
          ),
        } as const;
      }),
    );
  }

  return {
    page,
    ready,
    run,
    openContainer,
    openView,
    openOnly,
    view: (title: string): View => viewOf(page, title),
    walkthrough: () => walkthroughOf(page),
    untilOutput,
    dialog,
    clickDialogButton,
    /** Returns the number of open dialogs. */
    countDialogs: (): Promise<number> => dialogs.count(),
    toasts: readToasts,
    /** Waits for a toast that satisfies `accept`. */
    async untilToast(accept: (toast: Toast) => boolean, what: string): Promise<Toast> {
      const all = await until(readToasts, (list) => list.some(accept), `notification: ${what}`);
      const found = all.find(accept);
      if (found === undefined) throw new Error(`no notification: ${what}`);
      return found;
    },
    /** Clicks a button of the toast that contains `text`. */
    async clickToast(text: string, button: string): Promise<void> {
      await toasts.filter({ hasText: text }).first().getByRole('button', { name: button, exact: true }).click();
    },
    stepBack,
    /** Closes every open dialog, list and notification. */
    async clear(): Promise<void> {
      await stepBack();
      await run('Notifications: Clear All Notifications');
      await until(readToasts, (list) => list.length === 0, 'notifications cleared');
    },
    chooseInMenu: (entry: string): Promise<void> => chooseInMenu(page, entry),
    /** Opens the accounts menu of the activity bar and returns its entries. */
    async openAccounts(): Promise<readonly string[]> {
      await page
        .locator('.activitybar')
        .getByRole('button', { name: /^Accounts/ })
        .click();
      const menu = page.locator('.monaco-menu').last();
      await menu.waitFor();
      return menu.getByRole('menuitem').allInnerTexts();
    },
    /** Opens a file of the workspace by its name. */
    async openFile(name: string): Promise<void> {
      await page.keyboard.press('Control+P');
      await quickInput.locator('input.input').fill(name);
      await acceptEntry(name);
      await page.locator(`.tab[aria-label^="${name}"]`).waitFor();
    },
    /** Returns the visible lines of the active document, from the top; lines that are scrolled out of view are not painted. */
    async visibleLines(): Promise<readonly string[]> {
      const painted = await page.locator('.editor-instance .view-line').evaluateAll((elements) =>
        elements.map((element) => ({
          top: element instanceof HTMLElement ? Number.parseFloat(element.style.top) : 0,
          text: element.textContent ?? '',
        })),
      );
      return painted.sort((one, other) => one.top - other.top).map(({ text }) => text.replaceAll('\u00a0', ' '));
    },
    /** Waits for the choice list, then chooses the entry with this label. */
    async choose(label: string): Promise<void> {
      await acceptEntry(label);
    },
    /**
     * Types into the search list that is open or about to open, and chooses the entry with this label by keyboard once it is the only entry
     * and Enter selects it. A list that is being repainted ignores the key.
     */
    async search(text: string, label: string): Promise<void> {
      const input = quickInput.locator('input.input');
      const row = quickInput.locator('.quick-input-list .monaco-list-row');
      await input.waitFor();
      await input.fill(text);
      await until(
        async () => {
          const labels = await row.locator('.label-name:visible').allInnerTexts();
          const active = await row.and(page.locator('.focused')).locator('.label-name:visible').allInnerTexts();
          if (labels.length === 1 && labels[0] === label && active[0] === label) {
            await input.press('Enter', { timeout: 1_000 }).catch(() => {});
            await until(inputValue, (value) => value !== text, 'closed', 1_000).catch(() => {});
          }
          return { input: await inputValue(), labels, active };
        },
        (seen) => seen.input !== text,
        `“${label}” found by “${text}” and taken`,
      );
    },
    /**
     * Fills in the open input box, confirms it, and waits until VS Code has accepted the text. Until then the box is open, and a click
     * elsewhere would cancel it.
     */
    async fillInput(text: string): Promise<void> {
      await enterInput(text);
      await until(inputValue, (value) => value !== text, `input of “${text}” accepted`);
    },
    /** Fills in the open input box and confirms it, although the box may reject the text and stay open. */
    enterInput,
    /** Returns the labels of the open choice list. */
    async choices(): Promise<readonly string[]> {
      const row = quickInput.locator('.quick-input-list .monaco-list-row');
      await row.first().waitFor();
      // A reused row keeps the hidden second line of the previous list.
      return row.locator('.label-name:visible').allInnerTexts();
    },
    /** Waits until `accept` accepts the text and the screen reader label of the status bar entry whose id contains `id`. */
    async untilStatus(id: string, accept: (text: string, spoken: string) => boolean, what: string): Promise<void> {
      await until(
        () => readStatus(id),
        (status) => status !== undefined && accept(status.text, status.spoken),
        `status bar: ${what}`,
      );
    },
    /** Returns true if the status bar shows an entry whose id contains `id`. */
    hasStatus: async (id: string): Promise<boolean> => (await readStatus(id)) !== undefined,
    /** Returns what screen readers say about the badge on the icon of the views; empty without a badge. */
    async badge(): Promise<string> {
      const label = await containerTab.first().locator('a.action-label').getAttribute('aria-label');
      return (label ?? '').slice(container.length).replace(/^ - /, '');
    },
    async clickStatus(id: string): Promise<void> {
      await page.locator(`.statusbar-item[id*="${id}"] a`).click();
    },
    /** Returns to the earlier step of the open list or input box. */
    async goBack(): Promise<void> {
      await quickInput.locator('.quick-input-titlebar').getByRole('button', { name: 'Back', exact: false }).click();
    },
    /** Checks an entry of the open list, in which several can be selected, or unchecks it. */
    async tickChoice(label: string, expected: 'true' | 'false' = 'true'): Promise<void> {
      const row = quickInput
        .locator('.quick-input-list .monaco-list-row')
        .filter({ has: page.locator('.label-name').getByText(label, { exact: true }) })
        .first();
      // Exactly one click: a click that is given up may still happen later, and a second one would undo it.
      if ((await row.getAttribute('aria-checked')) !== expected) await row.click();
      await until(
        () => row.getAttribute('aria-checked'),
        (checked) => checked === expected,
        `“${label}” ${expected === 'true' ? 'checked' : 'unchecked'} in the open list`,
      );
    },
    /** Returns the text of the clipboard. */
    clipboard: (): Promise<string> => withFocus(() => page.evaluate(() => navigator.clipboard.readText())),
    /** Replaces the text of the clipboard. */
    setClipboard: (text: string): Promise<void> =>
      withFocus(() => page.evaluate((value) => navigator.clipboard.writeText(value), text)),
    /**
     * Waits until the saved state of extensions, as JSON, matches: VS Code for the browser writes it with a delay, and a reload before that
     * would lose it.
     */
    async untilSaved(pattern: RegExp): Promise<void> {
      await until(
        async () => (await page.evaluate(savedState)).some((value) => pattern.test(value)),
        (isSaved) => isSaved,
        `saved state like ${pattern}`,
      );
    },
    /** Returns the saved secrets of extensions, encrypted. VS Code for the browser confirms that a secret is stored before it writes them. */
    savedSecrets: (): Promise<string | null> => page.evaluate(() => localStorage.getItem('secrets.provider')),
    /** Drags the edge of the side bar to this width. */
    async widenSideBar(width: number): Promise<void> {
      const box = await page.locator('.part.sidebar').boundingBox();
      if (box === null) throw new Error('the side bar is hidden');
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width + 1, middle);
      await page.mouse.down();
      await page.mouse.move(box.x + width + 1, middle, { steps: 5 });
      await page.mouse.up();
    },
    /** Reloads the workbench, like a user who reloads the page. */
    async reload(): Promise<void> {
      await page.reload();
      await ready();
    },
    /** Writes a screenshot of the page once VS Code shows no progress of its own. */
    async screenshot(file: string): Promise<void> {
      mkdirSync(path.dirname(file), { recursive: true });
      await page
        .locator('.statusbar')
        .getByText(/^(Activating|Analyzing|Initializing)/)
        .first()
        .waitFor({ state: 'hidden' });
      await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    },
    /** Shows the page with this theme of the machine, and waits until VS Code has followed. Needs `THEME_SETTINGS`. */
    async setTheme(theme: Theme): Promise<void> {
      const { colorScheme, forcedColors, file } = THEMES[theme];
      await page.emulateMedia({ colorScheme, forcedColors });
      await page.locator(`.monaco-workbench[class*="themes-${file}-json"]`).waitFor();
    },
  };

  /** Calls `act`, which needs a focused page. A page has no focus for a moment after another page or a webview has closed. */
  async function withFocus<T>(act: () => Promise<T>): Promise<T> {
    const result = await until(
      async () => {
        await page.bringToFront();
        // A webview that was closed while it had the focus keeps it from the page.
        await page.evaluate(() => window.focus());
        return act().then(
          (value) => ({ value }),
          (error: unknown) => {
            if (error instanceof Error && error.message.includes('not focused')) return undefined;
            throw error;
          },
        );
      },
      (outcome) => outcome !== undefined,
      'focus of the page',
    );
    if (result === undefined) throw new Error('the page has no focus');
    return result.value;
  }

  async function readStatus(id: string): Promise<{ text: string; spoken: string } | undefined> {
    return page.locator('.statusbar-item').evaluateAll((entries, part) => {
      const entry = entries.find((candidate) => candidate.id.includes(part));
      if (!(entry instanceof HTMLElement)) return undefined;
      const spoken = entry.querySelector('[aria-label]')?.getAttribute('aria-label') ?? entry.getAttribute('aria-label') ?? '';
      return { text: entry.innerText.trim(), spoken };
    }, id);
  }
}

/**
 * Runs `act` and returns the tab that it opened. VS Code asks before it opens an unknown address; that dialog is confirmed if it appears
 * first.
 */
export async function openedTab(context: BrowserContext, workbench: Workbench, act: () => Promise<void>): Promise<Page> {
  const opened = context.waitForEvent('page', { timeout: HANG_LIMIT_MS });
  await act();
  const trust = workbench.page.locator('.monaco-dialog-box').filter({ hasText: 'open the external website' });
  const asked = trust.waitFor().then(
    () => trust.getByRole('button', { name: 'Open', exact: true }).click(),
    () => {},
  );
  const page = await opened;
  void asked;
  await page.waitForLoadState();
  return page;
}
