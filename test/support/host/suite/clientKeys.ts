// Client keys of projects, created from the palette.
import { until } from '../../until.ts';
import { workbench } from './workbench.ts';

/** A project by its path and the name that lists show. */
export interface NamedProject {
  readonly path: string;
  readonly name: string;
}

export interface CreatedKey {
  readonly id: number;
  readonly dsn: string;
}

/** Creates a client key of a project with error tracking. */
export async function createKey(project: NamedProject): Promise<CreatedKey> {
  await workbench.setClipboard('');
  await workbench.run('Signalbox: Create Client Key…');
  await chooseProject(project);
  const { message } = await workbench.untilToast((toast) => toast.message.includes(' created for '), 'the key is created');
  await workbench.clickToast(' created for ', 'Copy DSN');
  const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
  await workbench.clear();
  return { id: Number(/\d+/.exec(message)?.[0]), dsn };
}

export async function deleteKey(project: NamedProject, { id }: CreatedKey): Promise<void> {
  await workbench.run('Signalbox: Delete Client Key…');
  await chooseProject(project);
  await workbench.choose(`Client key ${id}`);
  await workbench.dialog('');
  await workbench.clickDialogButton('Delete');
  await workbench.untilToast(({ message }) => message.endsWith(' deleted.'), 'deleted');
  await workbench.clear();
}

/** Selects a project in the open list, which has the last part of its path in place of its name until the instance has responded. */
export async function chooseProject({ path, name }: NamedProject): Promise<void> {
  const isIt = (label: string): boolean => [name, path.split('/').at(-1)].includes(label);
  const labels = await until(workbench.choices, (all) => all.some(isIt), 'the project');
  await workbench.choose(labels.find(isIt) ?? name);
}
