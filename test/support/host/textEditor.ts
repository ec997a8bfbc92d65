import { until } from '../until.ts';
import type { Workbench } from './workbench.ts';

/** Returns the line of the cursor in the active text editor. */
async function cursorLine({ page }: Workbench): Promise<number> {
  const status = await page.locator('.statusbar-item', { hasText: /Ln \d+, Col \d+/ }).innerText();
  return Number(/Ln (\d+)/.exec(status)?.[1]);
}

/** Moves the cursor of the active text editor to a line, and waits until it is there. */
export async function goToLine(workbench: Workbench, line: number): Promise<void> {
  await workbench.run('View: Focus Active Editor Group');
  await workbench.page.keyboard.press('Control+G');
  await workbench.fillInput(`:${line}`);
  await untilCursorAt(workbench, line);
}

/** Waits until the cursor of the active text editor is at a line. */
export async function untilCursorAt(workbench: Workbench, line: number): Promise<void> {
  await until(
    () => cursorLine(workbench),
    (at) => at === line,
    `the cursor at line ${line}`,
  );
}
