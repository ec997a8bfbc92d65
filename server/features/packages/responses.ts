import * as z from 'zod';
import { address, count, id, moment, named } from '../../http/responses.ts';
import { pipelineWithPerson } from '../pipelines/pipelines.ts';
import { packageStatuses, packageTypes } from './rules.ts';

const tag = named('PackageTag', () =>
  z.strictObject({ id: id(), package_id: id(), name: z.string(), created_at: moment(), updated_at: moment() }),
);

const members = () => ({
  id: id(),
  name: z.string(),
  version: z.string().nullable(),
  package_type: z.enum(packageTypes),
  status: z.enum(packageStatuses),
  // The delete path is included for callers who can delete the package.
  _links: z.strictObject({ web_path: z.string(), delete_api_path: address().exactOptional() }),
  created_at: moment(),
  last_downloaded_at: z.null(),
  tags: z.array(tag()),
  // The newest pipeline that built the package.
  pipeline: pipelineWithPerson().exactOptional(),
  // Pipelines have a separate list.
  pipelines: z.array(z.never()),
});

export const listedPackage = named('ListedPackage', () => z.strictObject(members()));

export const groupPackage = named('GroupPackage', () =>
  z.strictObject({ ...members(), project_id: id(), project_path: z.string() }),
);

export const packageResponse = named('Package', () =>
  z.strictObject({
    ...members(),
    versions: z.array(
      z.strictObject({
        id: id(),
        version: z.string().nullable(),
        created_at: moment(),
        tags: z.array(tag()),
        pipeline: pipelineWithPerson().exactOptional(),
      }),
    ),
  }),
);

export const packageFile = named('PackageFile', () =>
  z.strictObject({
    id: id(),
    package_id: id(),
    created_at: moment(),
    file_name: z.string(),
    size: count(),
    file_md5: z.string().nullable(),
    file_sha1: z.string().nullable(),
    file_sha256: z.string().nullable(),
  }),
);
