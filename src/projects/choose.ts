import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { ProjectOrGroup } from './lists.ts';
import { pickPlace } from './pick.ts';

/** A project of the current instance that a person chose to do something with. */
export interface ChosenPlace {
  readonly client: Client;
  /** Number, or the full path where that is all that is known; the API takes either. */
  readonly project: number | string;
  readonly path: string;
}

/** A project of which nothing else need be known. */
interface KnownProject {
  readonly id: number | undefined;
  readonly path: string;
}

/**
 * Lets the person choose a project of the current instance; undefined when they step back, or have to sign in first. `meant`: the one that
 * they have pointed at already. `shown`: the one of the views, which stands first.
 */
export async function chooseProject(
  connection: Connection,
  title: string,
  meant?: KnownProject,
  shown?: KnownProject,
): Promise<ChosenPlace | undefined> {
  const client = connection.client();
  if (client === undefined) {
    await vscode.commands.executeCommand(commands.signIn);
    return undefined;
  }
  if (meant !== undefined) return { client, project: meant.id ?? meant.path, path: meant.path };
  const placeholder = l10n.t('Search the projects of {0}', connection.state().instance.label);
  const offered = shown === undefined ? [] : [offerOf(shown)];
  const location = await pickPlace({ client, kind: 'project', title, placeholder, offered, current: shown?.path });
  return location === undefined ? undefined : { client, project: location.id ?? location.path, path: location.path };
}

function offerOf({ id, path }: KnownProject): ProjectOrGroup {
  return { id, name: path.split('/').at(-1) ?? path, path };
}
