// A user who accepts whatever a command offers first.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../until.ts';
import { seen } from './border.ts';
import { acceptInput, cancelInput } from './inputs.ts';
import { acceptMessage, closeMessages } from './messages.ts';

/** Number of responses after which everything is canceled, because some dialogs come back until they are. */
const MAX_RESPONSES = 12;
/** Number of looks in a row without anything to answer after which a command has ended. */
const QUIET_LOOKS = 6;

/** Runs a command, and accepts what it offers until nothing is open or in progress. */
export async function runAccepting(command: string, values: readonly unknown[] = []): Promise<void> {
  let isRunning = true;
  const run = Promise.resolve(vscode.commands.executeCommand(command, ...values)).finally(() => {
    isRunning = false;
  });
  await acceptAll(() => isRunning);
  await run;
}

/** Accepts what is offered until nothing is open or in progress, and nothing runs. */
export async function acceptAll(isRunning: () => boolean = () => false): Promise<void> {
  let responses = 0;
  let quiet = 0;
  await until(
    () => {
      const isPatient = responses < MAX_RESPONSES;
      const hasResponded = isPatient ? acceptInput() || acceptMessage() : cancelInput();
      if (!isPatient) closeMessages();
      if (hasResponded) responses += 1;
      quiet = hasResponded || isRunning() || seen.progress().length > 0 ? 0 : quiet + 1;
      return quiet;
    },
    (looks) => looks >= QUIET_LOOKS,
    'the end of a command',
  );
  assert.equal(cancelInput(), false);
}
