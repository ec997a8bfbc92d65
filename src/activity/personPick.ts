import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import type { UserBasic } from '../contract/identity.ts';
import { findUser } from './person.ts';

/** Asks for a username until it exists on the instance; resolves to undefined if canceled. */
export function pickUser(client: Client, before: string): Promise<UserBasic | undefined> {
  const input = vscode.window.createInputBox();
  input.title = l10n.t('User Activity');
  input.prompt = l10n.t('Username on this instance');
  input.value = before;
  const closed = new AbortController();

  async function find(text: string): Promise<UserBasic | undefined> {
    try {
      const person = await findUser(client, text, closed.signal);
      if (person === undefined) input.validationMessage = l10n.t('User @{0} not found', text);
      return person;
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined && !closed.signal.aborted) throw error;
      input.validationMessage = failure?.message;
      return undefined;
    }
  }

  return new Promise((resolve) => {
    input.onDidChangeValue(() => {
      input.validationMessage = undefined;
    });
    input.onDidAccept(async () => {
      const username = input.value.trim().replace(/^@/, '');
      if (username === '' || input.busy) return;
      input.busy = true;
      const person = await find(username);
      if (closed.signal.aborted) return;
      input.busy = false;
      if (person === undefined) return;
      resolve(person);
      input.hide();
    });
    input.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
