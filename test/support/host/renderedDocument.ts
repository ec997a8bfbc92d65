// Rendered documents of the extension in the workbench.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Frame, FrameLocator } from 'playwright-core';
import { until } from '../until.ts';
import type { Workbench } from './workbench.ts';

const AXE = readFileSync(path.resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Returns the page of the rendered document that is shown. */
export function renderedDocument({ page }: Workbench): FrameLocator {
  return page.locator('iframe.webview').last().contentFrame().frameLocator('iframe#active-frame');
}

/** Waits until the text of the rendered document satisfies `accept`, and returns it. */
export function untilRendered(workbench: Workbench, accept: (text: string) => boolean, what: string): Promise<string> {
  const main = renderedDocument(workbench).locator('main');
  // The frame is replaced while a document is loaded.
  return until(() => main.innerText({ timeout: 1_000 }).catch(() => ''), accept, `rendered document: ${what}`);
}

/** Waits until the reader sees a part of the rendered document without scrolling. */
export async function untilInView(workbench: Workbench, selector: string, text: string): Promise<void> {
  const part = renderedDocument(workbench).locator(selector, { hasText: text }).last();
  await until(
    () =>
      part
        .evaluate(
          (element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
          },
          undefined,
          { timeout: 1_000 },
        )
        .catch(() => false),
    (isInView) => isInView,
    `“${text}” in view`,
  );
}

export async function frameOfDocument(workbench: Workbench): Promise<Frame> {
  const frame = await (await renderedDocument(workbench).locator('html').elementHandle())?.ownerFrame();
  assert.ok(frame);
  return frame;
}

/** Returns the violations that axe finds in the rendered document. */
export async function documentViolations(workbench: Workbench): Promise<readonly string[]> {
  const frame = await frameOfDocument(workbench);
  // Injected by the debugger, which the policy of the page does not block.
  await frame.evaluate(AXE);
  const results = await frame.evaluate<AxeResults>('axe.run()');
  return results.violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Opens the source of the shown document with one click. */
export async function openSource({ page }: Workbench): Promise<void> {
  const button = page.locator('.editor-actions').getByRole('button', { name: 'Open Source of Document', exact: true });
  await button.click();
  await page.locator('.editor-instance .view-lines').waitFor();
}
