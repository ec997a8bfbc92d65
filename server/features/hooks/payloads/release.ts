import type { Core } from '../../../core/core.ts';
import { archiveAddress, archiveFormats } from '../../code/code.ts';
import { linksOf, releaseAddress, type ReleaseRow } from '../../releases/releases.ts';
import { type NewPayload, type Place, projectMember, utc } from './parts.ts';

/** Returns the payload of a change of a release. */
export function releasePayload(
  core: Core,
  place: Place,
  release: ReleaseRow,
  action: 'create' | 'update' | 'delete',
): NewPayload {
  const { project, baseUrl } = place;
  const links = linksOf(core, release);
  return {
    payload: {
      id: release.id,
      created_at: utc(release.created_at),
      description: release.description,
      name: release.name,
      released_at: utc(release.released_at),
      tag: release.tag,
      object_kind: 'release',
      project: projectMember(place),
      url: `${baseUrl}${releaseAddress({ project }, release.tag)}`,
      action,
      assets: {
        count: links.length + archiveFormats.length,
        links: links.map(({ id, name, url, link_type }) => ({ id, link_type, name, url })),
        sources: archiveFormats.map((format) => ({
          format,
          url: `${baseUrl}${archiveAddress(project, release.tag, format)}`,
        })),
      },
    },
    completion: { kind: 'commit', projectId: project.id, sha: release.commit_id, as: 'commit' },
  };
}
