import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

/** Returns the page object of the walkthrough that is open in the editor. */
export function walkthroughOf(page: Page) {
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
