import type { Core } from '../../core/core.ts';
import { forbidden, recordNotFound } from '../../core/errors.ts';
import { integer, required, string } from '../../http/params.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { type ContainerRepository, findContainerRepository } from './containerRepositories.ts';

/** Parameters of the path of a repository. */
export const inProject = () => ({ id: required(string), repository_id: required(integer) });

/** @throws {Forbidden} If the images of the project are not visible to those who cannot read its code. */
export function demandReadable({ can }: FoundProject): void {
  if (can.readCode) return;
  throw forbidden(undefined, 'viewing images of a private project requires at least the reporter role', 'ability.readImages');
}

/** Finds the repository of a path. Throws 404 if the registry of the project has none with this ID, and 403 like `demandReadable`. */
export function mustFindRepository(core: Core, found: FoundProject, id: number): ContainerRepository {
  demandReadable(found);
  const repository = findContainerRepository(core, id);
  if (repository?.project_id !== found.project.id) throw recordNotFound('no such repository in the registry of the project');
  return repository;
}
