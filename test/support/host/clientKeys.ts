// Client keys of projects, created and deleted from the palette. The window is one of a story or of a suite.
import { until } from '../until.ts';
import type { Workbench } from './workbench.ts';

export interface CreatedKey {
  readonly id: number;
  readonly dsn: string;
}

/** A project by its path and the name that lists show. */
export interface NamedProject {
  readonly path: string;
  readonly name: string;
}

type Window = Pick<
  Workbench,
  | ('run' | 'choices' | 'choose' | 'clear')
  | ('clipboard' | 'setClipboard')
  | ('untilToast' | 'clickToast')
  | ('dialog' | 'clickDialogButton')
>;

/** Creates a client key of a project with error tracking. */
export async function createKey(workbench: Window, project: NamedProject): Promise<CreatedKey> {
  await workbench.setClipboard('');
  await workbench.run('Signalbox: Create Client Key…');
  await chooseProject(workbench, project);
  const { message } = await workbench.untilToast((toast) => toast.message.includes(' created for '), 'the key is created');
  await workbench.clickToast(' created for ', 'Copy DSN');
  const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
  await workbench.clear();
  return { id: Number(/\d+/.exec(message)?.[0]), dsn };
}

export async function deleteKey(workbench: Window, project: NamedProject, { id }: CreatedKey): Promise<void> {
  await workbench.run('Signalbox: Delete Client Key…');
  await chooseProject(workbench, project);
  await workbench.choose(`Client key ${id}`);
  await workbench.dialog('');
  await workbench.clickDialogButton('Delete');
  await workbench.untilToast(({ message }) => message.endsWith(' deleted.'), 'deleted');
  await workbench.clear();
}

/** Selects a project in the open list, which has the last part of its path in place of its name until the instance has responded. */
export async function chooseProject(
  workbench: Pick<Workbench, 'choices' | 'choose'>,
  { path, name }: NamedProject,
): Promise<void> {
  const isIt = (label: string): boolean => [name, path.split('/').at(-1)].includes(label);
  const labels = await until(workbench.choices, (all) => all.some(isIt), 'the project');
  await workbench.choose(labels.find(isIt) ?? name);
}
