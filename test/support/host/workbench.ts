// Page objects of the workbench: the only place that depends on how VS Code builds its page. Every method waits for what it needs, up to a
// deadline, and reports what it found instead.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, errors, type Locator, type Page } from 'playwright-core';
import { HANG_LIMIT_MS, until } from '../until.ts';

/** A row of a tree view as painted. `name` is the label for screen readers. */
export type Row = {
  readonly label: string;
  readonly description: string;
  readonly name: string;
  readonly level: number;
  readonly expanded: boolean | undefined;
  readonly icon: string;
};

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

/** Time limit for one attempt at a row before the row is looked up again. */
const ONE_TRY = { timeout: 10_000 };
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
    const view = viewOf(title);
    await view.expand();
    return view;
  }

  function viewOf(title: string) {
    const pane = page.locator('.sidebar .pane').filter({ has: page.locator(`.pane-header[aria-label^="${title}"]`) });
    const header = pane.locator('.pane-header');
    const rowsOf = pane.locator('.monaco-list-row[role="treeitem"]');

    async function rows(): Promise<readonly Row[]> {
      return rowsOf.evaluateAll((elements) =>
        elements
          .map((element) => {
            const expanded = element.getAttribute('aria-expanded');
            const icon = element.querySelector('.custom-view-tree-node-item-icon');
            return {
              top: Number.parseFloat(element instanceof HTMLElement ? element.style.top : '0'),
              label: element.querySelector('.label-name')?.textContent ?? '',
              description: element.querySelector('.label-description')?.textContent ?? '',
              name: (element.getAttribute('aria-label') ?? '').trim(),
              level: Number(element.getAttribute('aria-level')),
              expanded: expanded === null ? undefined : expanded === 'true',
              icon: /codicon-([a-z-]+)/.exec((icon?.className ?? '').replace('codicon-colored', ''))?.[1] ?? '',
            };
          })
          .sort((one, other) => one.top - other.top)
          .map(({ top: _top, ...row }) => row),
      );
    }

    /** Waits until the painted rows satisfy `accept` and returns them. */
    function untilRows(accept: (rows: readonly Row[]) => boolean, what: string): Promise<readonly Row[]> {
      return until(rows, accept, `rows in “${title}”: ${what}`);
    }

    /** Waits for a row that satisfies `accept`. */
    async function untilRow(accept: (row: Row) => boolean, what: string): Promise<Row> {
      const found = (await untilRows((all) => all.some(accept), what)).find(accept);
      if (found === undefined) throw new Error(`no row: ${what}`);
      return found;
    }

    async function setExpanded(expected: 'true' | 'false'): Promise<void> {
      await header.waitFor();
      if ((await header.getAttribute('aria-expanded')) !== expected) await header.locator('.title').click();
      await until(
        () => header.getAttribute('aria-expanded'),
        (value) => value === expected,
        `view “${title}” ${expected === 'true' ? 'expanded' : 'collapsed'}`,
      );
    }

    function locate(label: string): Locator {
      return rowsOf.filter({ has: page.locator('.label-name').getByText(label, { exact: true }) }).first();
    }

    /** Scrolls until the row is painted. The list paints only the rows in view, and revealing a row may move others out of view. */
    async function scrollTo(label: string): Promise<void> {
      let seen: string | undefined;
      let unchanged = 0;
      await until(
        async () => {
          if ((await locate(label).count()) > 0) return { isPainted: true };
          const labels = (await rowsOf.locator('.label-name').allInnerTexts()).join('\n');
          unchanged = labels === seen ? unchanged + 1 : 0;
          // The end of the list is reached when scrolling down changes nothing. Painting may lag behind by a few passes.
          const startsOver = seen === undefined || unchanged >= 10;
          if (startsOver) unchanged = 0;
          seen = labels;
          await pane.locator('.monaco-list').hover();
          await page.mouse.wheel(0, startsOver ? -100_000 : 60);
          return { isPainted: false, labels };
        },
        ({ isPainted }) => isPainted,
        `row “${label}” of “${title}” scrolled into view`,
      );
    }

    /** Runs an action on a row. If the view scrolls the row out of view in the meantime, it is scrolled to again. */
    async function withRow<T>(label: string, action: (row: Locator) => Promise<T>): Promise<T> {
      const end = performance.now() + HANG_LIMIT_MS;
      for (;;) {
        await scrollTo(label);
        try {
          return await action(locate(label));
        } catch (error) {
          if (!(error instanceof errors.TimeoutError) || performance.now() > end) throw error;
        }
      }
    }

    return {
      title,
      pane,
      rows,
      untilRows,
      untilRow,
      expand: (): Promise<void> => setExpanded('true'),
      collapse: (): Promise<void> => setExpanded('false'),
      /** Expands or collapses a row with children. */
      async toggleRow(label: string): Promise<void> {
        const expanded = (): Promise<string | null> => withRow(label, (row) => row.getAttribute('aria-expanded', ONE_TRY));
        const before = await expanded();
        await until(
          async () => {
            // If rows are repainted at that moment, the click may reach another one.
            await withRow(label, (row) => row.locator('.monaco-tl-twistie').click(ONE_TRY));
            return until(expanded, (value) => value !== before, 'toggled', 5_000).catch(() => before);
          },
          (value) => value !== before,
          `“${label}” of “${title}” ${before === 'true' ? 'closed' : 'opened'}`,
        );
      },
      /** Chooses an entry of a row's context menu. */
      async chooseFromRowMenu(label: string, entry: string): Promise<void> {
        await withRow(label, (row) => row.click({ button: 'right', ...ONE_TRY }));
        await chooseInMenu(entry);
      },
      async clickRow(label: string): Promise<void> {
        await withRow(label, (row) => row.click(ONE_TRY));
      },
      async clickCheckbox(label: string): Promise<void> {
        await withRow(label, (row) => row.locator('.custom-view-tree-node-item-checkbox').click(ONE_TRY));
      },
      /** Waits until the checkbox of a row is checked or not, as expected. */
      async untilChecked(label: string, expected: boolean): Promise<void> {
        const box = '.custom-view-tree-node-item-checkbox';
        await until(
          () => withRow(label, (row) => row.locator(box).getAttribute('aria-checked', ONE_TRY)),
          (checked) => checked === String(expected),
          `“${label}” of “${title}” ${expected ? 'checked' : 'not checked'}`,
        );
      },
      /** Labels of the selected rows. */
      selectedLabels: (): Promise<readonly string[]> =>
        pane.locator('.monaco-list-row.selected[role="treeitem"] .label-name').allInnerTexts(),
      async toStart(): Promise<void> {
        await pane.locator('.monaco-list').press('Home');
      },
      /** Scrolls to the last row. Only visible rows are painted, so `rows` then returns the last ones. */
      async toEnd(): Promise<void> {
        await pane.locator('.monaco-list').press('End');
      },
      /** Returns the text of the welcome content, one line per paragraph; empty if rows are shown. */
      async welcomeText(): Promise<string> {
        const welcome = pane.locator('.welcome-view-content');
        return (await welcome.isVisible()) ? (await welcome.innerText()).trim() : '';
      },
      untilWelcome(accept: (text: string) => boolean, what: string): Promise<string> {
        return until(() => this.welcomeText(), accept, `welcome text of “${title}”: ${what}`);
      },
      /** Clicks a button of the welcome content by its exact name. */
      async clickWelcomeButton(name: string): Promise<void> {
        await pane.locator('.welcome-view-content').getByRole('button', { name, exact: true }).click();
      },
      async clickWelcomeLink(name: string): Promise<void> {
        await pane
          .locator('.welcome-view-content a:not(.monaco-button)')
          .and(page.getByText(name, { exact: true }))
          .click();
      },
      /** Clicks an action of the view's title bar (shown while the pointer is over it). */
      async clickTitleAction(name: string): Promise<void> {
        await header.hover();
        await pane.locator('.pane-header .actions').getByRole('button', { name, exact: true }).click();
      },
      /** Returns the labels of the overflow menu of the view's title bar. */
      async titleMenu(): Promise<readonly string[]> {
        await header.hover();
        await pane
          .locator('.pane-header .actions')
          .getByRole('button', { name: /^(More Actions|Views and More Actions)/ })
          .click();
        const items = page.locator('.monaco-menu .action-menu-item .action-label');
        await items.first().waitFor();
        const labels = (await items.allInnerTexts()).filter((label) => label !== '');
        await page.keyboard.press('Escape');
        await items.first().waitFor({ state: 'hidden' });
        return labels;
      },
      /** Clicks an inline action of a row. */
      async clickRowAction(label: string, action: string): Promise<void> {
        await withRow(label, async (row) => {
          await row.hover(ONE_TRY);
          await row.getByRole('button', { name: action, exact: true }).click(ONE_TRY);
        });
      },
      /** Returns the names of a row's inline actions. */
      async rowActions(label: string): Promise<readonly string[]> {
        return withRow(label, async (row) => {
          await row.hover(ONE_TRY);
          return row
            .getByRole('button')
            .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent ?? ''));
        });
      },
      /** Hovers over a row and returns the text of its tooltip. */
      async hoverText(label: string): Promise<string> {
        const hover = page.locator('.monaco-hover:visible, .workbench-hover:visible').first();
        // A row that is repainted under the pointer only shows its tooltip when the pointer enters it again.
        return until(
          async () => {
            await header.hover();
            await locate(label).locator('.label-name').hover();
            return hover.innerText({ timeout: 2_000 }).then(
              (text) => text.trim(),
              () => '',
            );
          },
          (text) => text !== '' && text !== 'Loading...',
          `hover of “${label}”`,
        );
      },
      /** Returns the description next to the title of the view. */
      async description(): Promise<string> {
        return (await pane.locator('.pane-header .description').allInnerTexts()).join('');
      },
      message(): Promise<string> {
        return pane.locator('.message').innerText();
      },
    };
  }

  /** Returns the page object of the walkthrough that is open in the editor. */
  function walkthrough() {
    const container = page.locator('.gettingStartedContainer .gettingStartedSlideDetails');
    const step = (title: string): Locator =>
      container.locator('.getting-started-step').filter({ has: page.locator('.step-title').getByText(title, { exact: true }) });
    return {
      /** Opens a step by its title. */
      async openStep(title: string): Promise<void> {
        await step(title).locator('.step-title').click();
        await container.locator('.getting-started-step.expanded').filter({ hasText: title }).waitFor();
      },
      /** Clicks a button of the open step. */
      async clickButton(name: string): Promise<void> {
        const buttons = container.locator('.getting-started-step.expanded .step-description-container .monaco-button');
        await buttons
          .filter({ has: page.getByText(name, { exact: true }) })
          .or(buttons.getByText(name, { exact: true }))
          .first()
          .click();
      },
      /** Waits until the steps with these titles are marked as done or not done, as expected. */
      async untilDone(titles: readonly string[], expected: readonly boolean[]): Promise<void> {
        await until(
          () =>
            Promise.all(
              titles.map(async (title) => (await step(title).locator('.codicon-getting-started-step-checked').count()) > 0),
            ),
          (done) => done.every((isDone, at) => isDone === expected[at]),
          `steps done: ${expected.join(', ')}`,
        );
      },
    };
  }

  /** Chooses an entry of the open menu by its exact name; an entry with a submenu opens it. */
  async function chooseInMenu(entry: string): Promise<void> {
    const menus = page.locator('.monaco-menu');
    const item = menus.last().getByRole('menuitem', { name: entry, exact: true });
    await item.waitFor();
    const before = await menus.count();
    await until(
      async () => {
        // A menu ignores clicks in its first moments.
        if ((await menus.count()) === before) await item.click({ timeout: 1_000 }).catch(() => {});
        return menus.count();
      },
      (count) => count !== before,
      `“${entry}” taken in the menu`,
    );
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
    view: viewOf,
    walkthrough,
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
    chooseInMenu,
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
    /** Fills in the open input box and confirms it. */
    async fillInput(text: string): Promise<void> {
      const input = quickInput.locator('input.input');
      await input.waitFor();
      await input.fill(text);
      await page.keyboard.press('Enter');
    },
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
    async clickStatus(id: string): Promise<void> {
      await page.locator(`.statusbar-item[id*="${id}"] a`).click();
    },
    /** Returns to the earlier step of the open list or input box. */
    async goBack(): Promise<void> {
      await quickInput.locator('.quick-input-titlebar').getByRole('button', { name: 'Back', exact: false }).click();
    },
    /** Checks an entry of the open list, in which several can be selected. */
    async tickChoice(label: string): Promise<void> {
      const row = quickInput
        .locator('.quick-input-list .monaco-list-row')
        .filter({ has: page.locator('.label-name').getByText(label, { exact: true }) })
        .first();
      await until(
        async () => {
          if ((await row.getAttribute('aria-checked')) !== 'true') await row.click({ timeout: 1_000 }).catch(() => {});
          return row.getAttribute('aria-checked');
        },
        (checked) => checked === 'true',
        `“${label}” checked in the open list`,
      );
    },
    clipboard: (): Promise<string> => page.evaluate(() => navigator.clipboard.readText()),
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

  async function readStatus(id: string): Promise<{ text: string; spoken: string } | undefined> {
    return page.locator('.statusbar-item').evaluateAll((entries, part) => {
      const entry = entries.find((candidate) => candidate.id.includes(part));
      if (!(entry instanceof HTMLElement)) return undefined;
      const spoken = entry.querySelector('[aria-label]')?.getAttribute('aria-label') ?? entry.getAttribute('aria-label') ?? '';
      return { text: entry.innerText.trim(), spoken };
    }, id);
  }
}

/** Returns everything in VS Code's state databases. Runs in the page. */
async function savedState(): Promise<readonly string[]> {
  const names = (await indexedDB.databases()).flatMap(({ name }) =>
    name?.startsWith('vscode-web-state-db') === true ? [name] : [],
  );
  const settled = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB')));
    });
  const values = await Promise.all(
    names.map(async (name) => {
      const database = await settled(indexedDB.open(name));
      try {
        return await settled<unknown[]>(database.transaction('ItemTable').objectStore('ItemTable').getAll());
      } finally {
        database.close();
      }
    }),
  );
  return values.flat().filter((value) => typeof value === 'string');
}

export type View = ReturnType<Workbench['view']>;

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
