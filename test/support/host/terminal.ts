// The active terminal of the workbench: its prompt, and commands that write what they print to files.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { until } from '../until.ts';
import type { Workbench } from './workbench.ts';

/** Settings for terminals that tests can read, whose shell has no start-up files of the user who runs the tests. */
export const TERMINAL_SETTINGS = {
  // The text is in the page only without a canvas.
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.profiles.linux': { plain: { path: '/bin/sh' } },
  'terminal.integrated.defaultProfile.linux': 'plain',
  'terminal.integrated.profiles.osx': { plain: { path: '/bin/sh' } },
  'terminal.integrated.defaultProfile.osx': 'plain',
} as const;

/** Waits for the prompt, and returns the text of the terminal without line ends. */
export function untilPrompt({ page }: Workbench): Promise<string> {
  const rows = page.locator('.terminal-wrapper.active .xterm-rows');
  const read = async (): Promise<string> => (await rows.innerText()).replaceAll('\u00a0', ' ').replaceAll('\n', '');
  return until(read, (text) => /[#$] ?$/.test(text.trim()), 'the prompt');
}

export async function typeCommand({ page }: Workbench, command: string): Promise<void> {
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
}

/** Types a command, waits for its end, and returns what it wrote to `file`, a new one that the shell creates. */
export async function outputOf(workbench: Workbench, command: string, file: string): Promise<string> {
  await typeCommand(workbench, `${command} >${file} 2>&1; echo $? >${file}.code`);
  const code = await until(
    async () => (existsSync(`${file}.code`) ? readFileSync(`${file}.code`, 'utf8').trim() : ''),
    (text) => text !== '',
    command,
  );
  const output = readFileSync(file, 'utf8');
  assert.equal(code, '0', `${command}: ${output}`);
  return output;
}
