// Page object of a view: the part of the workbench that depends on how VS Code paints tree views.
import { errors, type Locator, type Page } from 'playwright-core';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { chooseInMenu } from './menu.ts';

/** A row of a tree view as painted. `name` is the label for screen readers. */
export type Row = {
  readonly label: string;
  readonly description: string;
  readonly name: string;
  readonly level: number;
  readonly expanded: boolean | undefined;
  readonly icon: string;
};

/** Time limit for one attempt at a row before the row is looked up again. */
const ONE_TRY = { timeout: 10_000 };

export type View = ReturnType<typeof viewOf>;

/** Returns the page object of a view of the side bar. */
export function viewOf(page: Page, title: string) {
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
      await chooseInMenu(page, entry);
    },
    /** Selects these rows and no others, without expanding them. */
    async selectRows(...labels: readonly string[]): Promise<void> {
      const selected = (): Promise<readonly string[]> => this.selectedLabels();
      await pane.locator('.monaco-list').press('Escape');
      await until(selected, (all) => all.length === 0, `no row of “${title}” selected`);
      for (const label of labels) {
        await withRow(label, (row) => row.click({ modifiers: ['Control'], ...ONE_TRY }));
        await until(selected, (all) => all.includes(label), `“${label}” of “${title}” selected`);
      }
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
    /** Collapses all rows. */
    async collapseRows(): Promise<void> {
      await until(
        async () => {
          // The view may be painted again at any time, and then it ignores a key.
          await pane.locator('.monaco-list').press('Control+ArrowLeft');
          return rows();
        },
        (all) => all.every(({ expanded }) => expanded !== true),
        `rows of “${title}” collapsed`,
      );
    },
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
