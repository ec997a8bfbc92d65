import type { FrameLocator } from 'playwright-core';
import { until } from '../until.ts';
import type { Workbench } from './workbench.ts';

export interface MarkedLine {
  readonly code: string;
  /** Text of the mark at the end of the line. */
  readonly text: string;
}

/** Returns the text of the badge on the icon of all views, as screen readers announce it. */
export async function viewsBadge({ page }: Workbench): Promise<string> {
  const item = page.locator('.activitybar .action-item').filter({
    has: page.locator('a.action-label[aria-label^="Signalbox"]'),
  });
  return (await item.first().locator('a.action-label').getAttribute('aria-label')) ?? '';
}

/** Returns the visible lines of editors that have the mark of an error at their end, which VS Code draws as a pseudo-element. */
export async function markedLines({ page }: Workbench): Promise<readonly MarkedLine[]> {
  return page.locator('.editor-instance .view-line').evaluateAll((lines) =>
    lines.flatMap((line) =>
      [...line.querySelectorAll('span')]
        .map((part) => getComputedStyle(part, '::after').content.replace(/^"|"$/g, '').replaceAll('\u00a0', ' '))
        .filter((text) => / · /.test(text))
        .map((text) => ({ code: (line.textContent ?? '').replaceAll('\u00a0', ' '), text })),
    ),
  );
}

/** Returns the page of the panel of an error. */
export function errorPage({ page }: Workbench): FrameLocator {
  return page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
}

/** Waits until the texts of elements of the panel of an error satisfy `accept`. */
export async function untilErrorText(
  workbench: Workbench,
  selector: string,
  accept: (text: string) => boolean,
  what: string,
): Promise<void> {
  const elements = errorPage(workbench).locator(selector);
  const read = async (): Promise<string> => (await elements.allInnerTexts()).join(' ');
  // The frame is replaced while a panel is opened.
  await until(() => read().catch(() => ''), accept, what);
}
