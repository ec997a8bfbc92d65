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
