import * as l10n from '@vscode/l10n';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { ProjectOrGroup } from '../projects/lists.ts';
import { pickProjectOrGroup } from '../projects/pick.ts';
import type { ChosenProject } from './chosenProject.ts';
import type { CurrentProject } from './currentProject.ts';

/** Lets the user select the project to show. That of the open folder and pinned ones are offered first. */
export async function selectProject(account: BoundAccount, current: CurrentProject): Promise<void> {
  const here = current.ofWorkspace();
  const pinned = current.pinned().filter((pin) => pin.path !== here?.path);
  const selected = await pickProjectOrGroup({
    client: account.client(),
    kind: 'project',
    title: l10n.t('Project Activity'),
    placeholder: l10n.t('Select the project to show'),
    offered: [
      ...(here === undefined ? [] : [offerOf(here, l10n.t('from the open folder'), 'folder')]),
      ...pinned.map((pin) => offerOf(pin, l10n.t('pinned'), 'pinned')),
    ],
    current: current.get()?.path,
  });
  if (selected !== undefined) await current.choose(account.instance, { id: selected.id, path: selected.path });
}

function offerOf({ id, path }: ChosenProject, reason: string, icon: string): ProjectOrGroup {
  return { id, name: path.split('/').at(-1) ?? path, path, reason, icon };
}
