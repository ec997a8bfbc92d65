import type { GitCore } from '../../repositories/repositories.ts';
import { pageResponse, type PushRequest, pushRoute } from '../code/code.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { recordNotFound } from '../../core/errors.ts';
import { pageParameters } from '../../http/pagination.ts';
import { fallback, integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import type { ApiRequest, RawResponse, Route } from '../../http/route.ts';
import { type FoundProject, openProjectRoute } from '../projectAccess/projectAccess.ts';
import { releaseLink } from './responses.ts';
import { presentLink } from './present.ts';
import {
  createLink,
  deleteLink,
  findLink,
  findRelease,
  linksOf,
  type Release,
  type ReleaseLink,
  updateLink,
} from './manageReleases.ts';
import { linkTypes, type LinkType } from './store.ts';

const metadata = { specRef: 'Releases', status: 'inferred', key: 'id' } as const;

const path = '/api/v4/projects/:id/releases/:tag_name/assets/links';

const ofRelease = () => ({ id: required(string), tag_name: required(string) });

const ofLink = () => ({ ...ofRelease(), link_id: required(integer) });

const listLinksParameters = () => ({ ...ofRelease(), ...pageParameters() });

const addLinkParameters = () => ({
  ...ofRelease(),
  name: required(string),
  url: required(string),
  direct_asset_path: string(),
  filepath: string(),
  link_type: fallback<LinkType>('other', oneOf(linkTypes)),
});

const changeLinkParameters = () => ({
  ...ofLink(),
  name: string(),
  url: string(),
  direct_asset_path: string(),
  filepath: string(),
  link_type: oneOf(linkTypes)(),
});

export function linkRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute({ ...metadata, method: 'GET', path, body: listOf(releaseLink), params: listLinksParameters }, (request) =>
      listLinks(core, request),
    ),
    openProjectRoute({ ...metadata, method: 'GET', path: `${path}/:link_id`, body: releaseLink, params: ofLink }, (request) =>
      showLink(core, request),
    ),
    pushRoute(core, { ...metadata, method: 'POST', path, body: releaseLink, params: addLinkParameters }, (request) =>
      addLink(core, request),
    ),
    pushRoute(
      core,
      { ...metadata, method: 'PUT', path: `${path}/:link_id`, body: releaseLink, params: changeLinkParameters },
      (request) => changeLink(core, request),
    ),
    pushRoute(
      core,
      { ...metadata, method: 'DELETE', path: `${path}/:link_id`, successStatus: 200, body: releaseLink, params: ofLink },
      (request) => removeLink(core, request),
    ),
  ];
}

function listLinks(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof listLinksParameters>> & FoundProject,
): Promise<RawResponse> {
  const { params, baseUrl } = request;
  const release = releaseOf(core, request, params.tag_name);
  const links = linksOf(core, release);
  return pageResponse(request, params, {
    count: (cap) => Math.min(links.length, cap),
    items: async (limit, offset) =>
      links.slice(offset, offset + limit).map((link) => presentLink(request, release.tag, link, baseUrl)),
  });
}

function showLink(
  core: GitCore,
  request: ApiRequest<ParametersOf<typeof ofLink>> & FoundProject,
): ResponseOf<typeof releaseLink> {
  const release = releaseOf(core, request, request.params.tag_name);
  return presentLink(request, release.tag, linkOf(core, release, request.params.link_id), request.baseUrl);
}

function addLink(core: GitCore, request: PushRequest<ParametersOf<typeof addLinkParameters>>): ResponseOf<typeof releaseLink> {
  const { params } = request;
  const release = releaseOf(core, request, params.tag_name);
  const filepath = params.direct_asset_path ?? params.filepath;
  const link = createLink(core, release, { name: params.name, url: params.url, filepath, linkType: params.link_type });
  return presentLink(request, release.tag, link, request.baseUrl);
}

function changeLink(
  core: GitCore,
  request: PushRequest<ParametersOf<typeof changeLinkParameters>>,
): ResponseOf<typeof releaseLink> {
  const { params } = request;
  demandOneOf(request, ['name', 'url']);
  const release = releaseOf(core, request, params.tag_name);
  const link = updateLink(core, release, linkOf(core, release, params.link_id), {
    name: params.name,
    url: params.url,
    filepath: params.direct_asset_path ?? params.filepath,
    linkType: params.link_type,
  });
  return presentLink(request, release.tag, link, request.baseUrl);
}

function removeLink(core: GitCore, request: PushRequest<ParametersOf<typeof ofLink>>): ResponseOf<typeof releaseLink> {
  const release = releaseOf(core, request, request.params.tag_name);
  const link = linkOf(core, release, request.params.link_id);
  deleteLink(core, link);
  return presentLink(request, release.tag, link, request.baseUrl);
}

function releaseOf(core: GitCore, { project }: FoundProject, tag: string): Release {
  const row = findRelease(core, project.id, tag);
  if (row === undefined) throw recordNotFound('no release has this tag');
  return row;
}

function linkOf(core: GitCore, release: Release, id: number): ReleaseLink {
  const link = findLink(core, release, id);
  if (link === undefined) throw recordNotFound('the release has no such link');
  return link;
}
