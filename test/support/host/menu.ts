import type { Page } from 'playwright-core';
import { until } from '../until.ts';

/** Chooses an entry of the open menu by its exact name; an entry with a submenu opens it. */
export async function chooseInMenu(page: Page, entry: string): Promise<void> {
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
