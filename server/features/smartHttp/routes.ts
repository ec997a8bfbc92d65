import type { GitCore } from '../../repositories/repositories.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import type { Method, Route } from '../../http/route.ts';
import { announcePush, receivePackRoutes } from './receivePack/routes.ts';
import { openForGit } from './target.ts';
import { advertiseUploadPack, uploadPack } from './uploadPack.ts';

const metadata = {
  area: 'git',
  specRef: 'Git over HTTPS',
  status: 'stated',
  scopes: [],
  role: 'anyone',
  successStatus: 200,
} as const;

/** Returns the routes of Git over HTTPS. */
export function smartHttpRoutes(core: GitCore): Route[] {
  const route = (method: Method, path: string, handle: Route['handle']): Route => ({ ...metadata, method, path, handle });
  return [
    route('GET', '/*repository.git/info/refs', (context) => advertise(core, context)),
    route('POST', '/*repository.git/git-upload-pack', (context) => fetchPack(core, context)),
    ...receivePackRoutes(core),
    // Git asks for the address without `.git` if that is the address of the remote.
    route('GET', '/*repository/info/refs', redirectToSuffix),
    ...dumbPaths.map((path) => route('GET', path, refuseDumbProtocol)),
    ...lfsMethods.map((method) => route(method, '/*repository.git/info/lfs/*rest', refuseLfs)),
  ];
}

/** Paths of the protocol in which the client reads the files of a repository (gitprotocol-http(5)). */
const dumbPaths = ['/*repository.git/HEAD', '/*repository.git/objects/*rest'];
const lfsMethods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Responds to the first request of a fetch or push. */
async function advertise(core: GitCore, context: RequestContext): Promise<HttpResponse> {
  const service = serviceOf(context);
  if (service === undefined) throw dumbProtocol();
  if (service === 'git-upload-pack') {
    const { target } = await openForGit(core, context, 'fetch');
    return advertiseUploadPack(core, target, context);
  }
  if (service === 'git-receive-pack') return announcePush(core, context);
  const text = `Unsupported service: '${service.slice(0, 100)}'. The services are git-upload-pack and git-receive-pack.`;
  throw new WireFailure(403, text, { rule: 'git.service', reason: text });
}

async function fetchPack(core: GitCore, context: RequestContext): Promise<HttpResponse> {
  const { target } = await openForGit(core, context, 'fetch');
  return uploadPack(core, target, context);
}

function serviceOf({ query }: RequestContext): string | undefined {
  return new URLSearchParams(query).get('service') ?? undefined;
}

/** Redirects the first request to the same address with `.git`, as GitLab does. */
async function redirectToSuffix(context: RequestContext): Promise<HttpResponse> {
  if (serviceOf(context) === undefined) {
    const note = { rule: 'route.known', reason: 'a first request of git has the parameter service' };
    throw new WireFailure(404, '404 Not Found', note);
  }
  const location = `${context.baseUrl}${context.path.replace(/\/info\/refs$/, '.git/info/refs')}?${context.query}`;
  context.noteRefusal('git.suffix', 'the address of a repository ends with .git');
  return {
    status: 301,
    type: 'text/plain; charset=utf-8',
    body: `This resource has been moved permanently to ${location}\n`,
    headers: { Location: location },
  };
}

async function refuseDumbProtocol(): Promise<never> {
  throw dumbProtocol();
}

function dumbProtocol(): WireFailure {
  const text =
    'The dumb HTTP protocol is not supported. Use a version of Git with the smart HTTP protocol (1.6.6 or newer), and do not set GIT_SMART_HTTP to 0.';
  return new WireFailure(403, text, { rule: 'git.protocol', reason: 'the request is of the dumb HTTP protocol' });
}

async function refuseLfs(): Promise<HttpResponse> {
  return {
    status: 501,
    type: 'application/vnd.git-lfs+json',
    body: JSON.stringify({
      message:
        'Git LFS is not supported by this server. Commit the files without LFS, for example after `git lfs migrate export`, or turn off its requests with `git config lfs.locksverify false`.',
    }),
  };
}
