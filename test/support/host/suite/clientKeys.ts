// Client keys of projects, created and deleted from the palette of the window of a suite.
import {
  chooseProject as chooseProjectIn,
  type CreatedKey,
  createKey as createKeyIn,
  deleteKey as deleteKeyIn,
  type NamedProject,
} from '../clientKeys.ts';
import { workbench } from './workbench.ts';

export type { CreatedKey } from '../clientKeys.ts';

export const createKey = (project: NamedProject): Promise<CreatedKey> => createKeyIn(workbench, project);

export const deleteKey = (project: NamedProject, key: CreatedKey): Promise<void> => deleteKeyIn(workbench, project, key);

export const chooseProject = (project: NamedProject): Promise<void> => chooseProjectIn(workbench, project);
