import { forbidden, invalidRecord, recordNotFound } from '../../core/errors.ts';
import { findPipelines } from '../pipelines/pipelines.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, viewerId } from '../projectAccess/projectAccess.ts';
import type { PackageStatus, PackageType } from './rules.ts';
import {
  deleteFileRow,
  deletePackageRow,
  fileById,
  type FileRow,
  insertFile,
  insertPackage,
  insertPackagePipeline,
  insertTag,
  isTaken,
  packageById,
  type PackageRow,
} from './store.ts';

export type Package = PackageRow;
export type PackageFile = FileRow;

export interface NewPackage {
  readonly name: string;
  readonly version?: string | undefined;
  /** Defaults to `generic`. */
  readonly type?: PackageType | undefined;
  readonly status?: PackageStatus | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Ids of the pipelines of the project that built the package. */
  readonly pipelineIds?: readonly number[] | undefined;
  readonly createdAt?: number | undefined;
}

/** Creates a package without files. Throws `Invalid` for a duplicate, and for pipelines of other projects. */
export function createPackage(core: Core, { project }: FoundProject, input: NewPackage): Package {
  const { store } = core;
  const now = input.createdAt ?? core.clock.now();
  const { name, type = 'generic', version = null, pipelineIds = [] } = input;
  return store.transaction(() => {
    if (isTaken(store, { projectId: project.id, name, version, type })) throw invalidRecord({ name: ['has already been taken'] });
    const pipelines = findPipelines(core, pipelineIds);
    if (pipelineIds.some((id) => pipelines.get(id)?.project_id !== project.id)) {
      throw invalidRecord({ pipeline_ids: ['is invalid'] });
    }
    const id = insertPackage(store, {
      project_id: project.id,
      name,
      version,
      package_type: type,
      status: input.status ?? 'default',
      created_at: now,
    });
    for (const tag of input.tags ?? []) insertTag(store, id, tag, now);
    for (const pipelineId of pipelineIds) insertPackagePipeline(store, id, pipelineId);
    const made = packageById(store, project.id, id, 0);
    if (made === undefined) throw new Error(`package ${id} does not exist`);
    return made;
  });
}

/** Finds a package of a project; `viewer` is 0 for anonymous callers. */
export function findPackage(core: Core, { project }: FoundProject, id: number, viewer: number): Package | undefined {
  const found = packageById(core.store, project.id, id, viewer);
  return found?.status === 'pending_destruction' ? undefined : found;
}

/** Deletes a package with its files. */
export function deletePackage(core: Core, { id }: Pick<Package, 'id'>): void {
  deletePackageRow(core.store, id);
}

export interface NewFile {
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly md5?: string | undefined;
  readonly sha1?: string | undefined;
  readonly sha256?: string | undefined;
}

/** Adds the metadata of a file to a package, without content. Throws `Invalid` for invalid hashes. */
export function addFile(core: Core, { id }: Pick<Package, 'id'>, input: NewFile): PackageFile {
  const { store } = core;
  if (input.size < 0) throw invalidRecord({ size: ['must be greater than or equal to 0'] });
  return store.transaction(() => {
    const made = insertFile(store, {
      package_id: id,
      file_name: input.name,
      size: input.size,
      file_md5: hash('file_md5', input.md5, 32),
      file_sha1: hash('file_sha1', input.sha1, 40),
      file_sha256: hash('file_sha256', input.sha256, 64),
      created_at: core.clock.now(),
    });
    const row = fileById(store, id, made);
    if (row === undefined) throw new Error(`file ${made} does not exist`);
    return row;
  });
}

function hash(name: string, text: string | undefined, length: number): string | null {
  if (text === undefined || text === '') return null;
  if (text.length !== length || !/^[0-9a-f]+$/.test(text)) throw invalidRecord({ [name]: ['is invalid'] });
  return text;
}

export function findFile(core: Core, { id }: Pick<Package, 'id'>, fileId: number): PackageFile | undefined {
  return fileById(core.store, id, fileId);
}

export function deleteFile(core: Core, { id }: Pick<PackageFile, 'id'>): void {
  deleteFileRow(core.store, id);
}

/** @throws {Forbidden} If the packages of the project are not visible to those who cannot read its code. */
export function demandReadable({ can }: FoundProject): void {
  if (can.readCode) return;
  throw forbidden(undefined, 'viewing packages of a private project requires at least the reporter role', 'ability.readPackages');
}

/** Finds the package of a request. Throws `NotFound` if the project has none with this ID, and 403 like `demandReadable`. */
export function mustFindPackage(core: Core, found: FoundProject & { readonly caller: Caller | undefined }, id: number): Package {
  demandReadable(found);
  const one = findPackage(core, found, id, viewerId(found.caller));
  if (one === undefined) throw recordNotFound('no such package in the project');
  return one;
}
