// Screenshots of stories, for visual review. Nothing compares them, so they are only taken if the environment variable SIGNALBOX_PICTURES
// is set.
import path from 'node:path';
import { THEMES, type Theme, type Workbench } from './workbench.ts';

const FOLDER = path.join(import.meta.dirname, '../../../.cache/pictures');
const AREA_WITHOUT_TOOLTIPS = { x: 900, y: 850 };

const areWanted = (process.env['SIGNALBOX_PICTURES'] ?? '') !== '';

/** Writes a screenshot of the workbench as it is. */
export async function picture(workbench: Workbench, name: string): Promise<void> {
  if (areWanted) await workbench.screenshot(path.join(FOLDER, `${name}.png`));
}

/**
 * Writes a screenshot in each theme. Needs `THEME_SETTINGS`.
 * @param show shows what a change of the theme hides, for example a hover. It is called at least once. Without it, nothing is under the
 *   pointer.
 */
export async function pictures(workbench: Workbench, name: string, show?: () => Promise<unknown>): Promise<void> {
  if (show === undefined) await workbench.page.mouse.move(AREA_WITHOUT_TOOLTIPS.x, AREA_WITHOUT_TOOLTIPS.y);
  else if (!areWanted) await show();
  if (!areWanted) return;
  for (const theme of Object.keys(THEMES) as Theme[]) {
    await workbench.setTheme(theme);
    await show?.();
    await picture(workbench, `${name}-${theme}`);
  }
  await workbench.setTheme('light');
}
