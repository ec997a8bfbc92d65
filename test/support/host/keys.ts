// Operates the workbench with keys only. Everything is read from the page without touching it.
import type { Page } from 'playwright-core';
import { until } from '../until.ts';

export type Keys = ReturnType<typeof keysOf>;

export function keysOf(page: Page) {
  /** Runs a command by its title in the palette. */
  async function run(title: string): Promise<void> {
    await page.keyboard.press('F1');
    await until(inputValue, (value) => value === '>', 'palette');
    await page.keyboard.type(title);
    await until(focusedChoice, (label) => label.includes(title), title);
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  function inputValue(): Promise<string> {
    return page.evaluate(() => (document.activeElement instanceof HTMLInputElement ? document.activeElement.value : ''));
  }

  /** Returns the screen reader label of the focused entry of the open list. */
  function focusedChoice(): Promise<string> {
    return page.evaluate(
      () => document.querySelector('.quick-input-list .monaco-list-row.focused')?.getAttribute('aria-label') ?? '',
    );
  }

  /** Returns the screen reader label of the focused row of a view. */
  function focusedRow(): Promise<string> {
    return page.evaluate(() => {
      const active = document.activeElement?.closest('.sidebar .monaco-list');
      return (active?.querySelector('.monaco-list-row.focused')?.getAttribute('aria-label') ?? '').trim();
    });
  }

  /** Opens the menu of the focused row and chooses an entry. */
  async function chooseInRowMenu(entry: string): Promise<void> {
    const focused = page.locator('.monaco-menu .action-item.focused .action-label');
    await page.keyboard.press('Shift+F10');
    await page.locator('.monaco-menu .action-label').first().waitFor();
    const read = async (): Promise<string> => (await focused.allInnerTexts()).join('');
    await until(
      async () => {
        const label = await read();
        if (label !== entry) await page.keyboard.press('ArrowDown');
        return label;
      },
      (label) => label === entry,
      `“${entry}” focused in the menu`,
    );
    await page.keyboard.press('Enter');
    await page.locator('.monaco-menu').waitFor({ state: 'hidden' });
  }

  return { run, inputValue, focusedChoice, focusedRow, chooseInRowMenu };
}
