import type { ProxyCore } from './proxyCore.ts';
import { Readable } from 'node:stream';
import type { WireFailure } from '../../http/wireFailure.ts';
import { IDLE_LIMIT } from '../../http/disconnected.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import type { Route } from '../../http/route.ts';
import { findMovedGroup, findGroup, findNamespace } from '../groups/groups.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { registryFailure, VERSION, isDigest, isRepositoryName, isTagName } from '../registry/registry.ts';
import { isTokenOfGroup } from '../deployTokens/deployTokens.ts';
import { isProxyEnabled } from './groupProxy.ts';
import { blobSize, type PulledImage, pullBlob, pullManifest } from './pulls.ts';
import { demandPuller, type Puller } from './signIn.ts';
import { unknownContent } from './upstream.ts';

const metadata = {
  area: 'registry',
  method: 'GET',
  specRef: 'Dependency proxy',
  status: 'inferred',
  scopes: [],
  role: 'token',
  successStatus: 200,
} as const;

/** Returns the routes that clients of the distribution specification pull images from. */
export function pullRoutes(core: ProxyCore): Route[] {
  const base = '/v2/*group/dependency_proxy/containers/*image';
  return [
    { ...metadata, path: `${base}/manifests/:reference`, handle: (context) => manifestResponse(core, context) },
    { ...metadata, path: `${base}/blobs/:digest`, handle: (context) => blobResponse(core, context) },
  ];
}

async function manifestResponse(core: ProxyCore, context: RequestContext): Promise<HttpResponse> {
  const image = await openImage(core, context);
  const reference = context.pathParameters['reference'] ?? '';
  if (!isDigest(reference) && !isTagName(reference))
    throw unknownContent('manifest', 'the reference is neither a tag nor a digest');
  const { digest, content_type: type, content } = await pullManifest(core, image, reference);
  return { status: 200, type, body: content, headers: headersOf(digest) };
}

async function blobResponse(core: ProxyCore, context: RequestContext): Promise<HttpResponse> {
  const image = await openImage(core, context);
  const digest = context.pathParameters['digest'] ?? '';
  if (!isDigest(digest)) throw unknownContent('blob', 'the digest is not a SHA-256');
  const type = 'application/octet-stream';
  if (context.method === 'HEAD') {
    const size = await blobSize(core, image, digest);
    const headers = { ...headersOf(digest), 'Content-Length': String(size) };
    return { status: 200, type, stream: Readable.from([]), headers };
  }
  const { size, file } = await pullBlob(core, image, digest);
  const stream = file.createReadStream();
  context.disconnected(IDLE_LIMIT).addEventListener('abort', () => stream.destroy(), { once: true });
  return { status: 200, type, stream, headers: { ...headersOf(digest), 'Content-Length': String(size) } };
}

function headersOf(digest: string): Readonly<Record<string, string>> {
  return { ...VERSION, 'Docker-Content-Digest': digest, ETag: `"${digest}"` };
}

/**
 * Returns the image of a path for its sender.
 *
 * @throws {WireFailure} 401 or 403 for the token, 404 for a group in which the sender is no member or that has the proxy turned off, and for an
 *   invalid name.
 */
async function openImage(core: Core, context: RequestContext): Promise<PulledImage> {
  const puller = await demandPuller(core, context);
  const { group: path = '', image: name = '' } = context.pathParameters;
  const groupId = groupOf(core, path, puller);
  if (groupId === undefined) throw unknownName('no group of the sender has this path');
  if (!isProxyEnabled(core, groupId)) throw unknownName('the dependency proxy of the group is turned off');
  if (name === '' || !isRepositoryName(name)) throw unknownName('an image has no such name');
  return { groupId, name };
}

/** Returns the ID of a group if the sender is a member of it, at least as guest, or if the deploy token belongs to it or to an ancestor. */
function groupOf(core: Core, path: string, puller: Puller): number | undefined {
  // The path of a group is no number, and a number would be read as an ID.
  if (/^-?\d+$/.test(path)) return undefined;
  if (puller.kind === 'user') {
    const found = findGroup(core, path, puller) ?? findMovedGroup(core, path, puller);
    return found !== undefined && holdsRole(found.access, 'guest') ? found.group.id : undefined;
  }
  const namespace = findNamespace(core, path, undefined);
  return namespace?.kind === 'group' && isTokenOfGroup(core, puller.token, namespace.id) ? namespace.id : undefined;
}

function unknownName(reason: string): WireFailure {
  return registryFailure(404, 'NAME_UNKNOWN', 'repository name not known to registry', 'dependencyProxy.found', reason);
}
