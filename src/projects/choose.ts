import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { ProjectOrGroup } from './lists.ts';
import { pickProjectOrGroup } from './pick.ts';
import { mayWrite } from '../ui/showFailure.ts';

/** Selected project, and the account that it was selected with. */
export interface PickedProject {
  readonly account: BoundAccount;
  /** Client of the account. */
  readonly client: Client;
  /** Id, or the full path if the id is unknown; the API accepts either. */
  readonly project: number | string;
  readonly path: string;
}

/** Project with its path and, if known, its id and the key of the account that sees it. */
interface KnownProject {
  readonly id: number | undefined;
  readonly path: string;
  readonly account?: string;
}

/**
 * Lets the user select a project of the current instance; resolves to undefined if canceled or signed out. `target` is a project that is
 * already selected and used as is, with its account. Rejects with an `ApiFailure` if that account cannot be used. `shown` is the project of the views, which is listed first. `listsMaintainedFirst` is true for commands
 * that only maintainers can use.
 */
export async function chooseProject(
  connection: Connection,
  title: string,
  target?: KnownProject,
  shown?: KnownProject,
  listsMaintainedFirst = false,
): Promise<PickedProject | undefined> {
  const account = target?.account === undefined ? connection.current() : connection.bound(target.account);
  if (account === undefined) {
    await vscode.commands.executeCommand(commands.signIn);
    return undefined;
  }
  const client = account.client();
  if (target !== undefined) return { account, client, project: target.id ?? target.path, path: target.path };
  const placeholder = l10n.t('Search the projects of {0}', connection.state().instance.label);
  const offered = shown === undefined ? [] : [offerOf(shown)];
  const selected = await pickProjectOrGroup({
    ...{ client, kind: 'project', title, placeholder, offered, listsMaintainedFirst },
    current: shown?.path,
  });
  return selected === undefined ? undefined : { account, client, project: selected.id ?? selected.path, path: selected.path };
}

/** Same for a change that only maintainers can make. Says why and resolves to undefined if the account may only read. */
export async function chooseProjectToChange(
  connection: Connection,
  title: string,
  target: KnownProject | undefined,
  shown: KnownProject | undefined,
): Promise<PickedProject | undefined> {
  const account = target?.account === undefined ? connection.current() : connection.bound(target.account);
  if (account !== undefined && account.problem() === undefined && !mayWrite(account)) return undefined;
  return chooseProject(connection, title, target, shown, true);
}

function offerOf({ id, path }: KnownProject): ProjectOrGroup {
  return { id, name: path.split('/').at(-1) ?? path, path };
}
