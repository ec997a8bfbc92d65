import type { GitCore } from '../../repositories/repositories.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRefName } from '../../repositories/names.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';
import { packingSettings } from '../../repositories/program.ts';
import { openForFetch } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { IDLE_LIMIT } from '../../http/disconnected.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { openWithMergeRequests } from './mergeRequestRefs.ts';
import { FLUSH, pktLine } from './pktLine.ts';
import type { GitTarget } from './target.ts';
import { begun, bodyFailure, bodyStages, continued, demandContentType, PACK_TIME, protocolOf } from './transfer.ts';

/**
 * Settings of fetches: partial clones, and objects by ID, as on GitLab. Filters for which git reads an object once for each of its paths are
 * off, because a tree of a kilobyte can have a billion paths.
 */
const settings = [
  ...packingSettings,
  'uploadpack.allowFilter=true',
  'uploadpackfilter.sparse:oid.allow=false',
  'uploadpackfilter.combine.allow=false',
  'uploadpack.allowAnySHA1InWant=true',
  'uploadpack.hideRefs=refs/signalbox',
];

/** Maximum size of the objects that a client asks for and has, in bytes, after decompression: about 600,000 objects. */
const MAX_NEGOTIATION = 32 * 1024 * 1024;

/** Starts the response to a fetch with the refs of the repository, or with the capabilities of protocol version 2. */
export async function advertiseUploadPack(core: GitCore, target: GitTarget, context: RequestContext): Promise<HttpResponse> {
  const signal = context.disconnected(IDLE_LIMIT);
  const { repository, release } = await repositoryOf(core, target);
  const env = protocolOf(context);
  const args = ['upload-pack', '--strict', '--stateless-rpc', '--http-backend-info-refs', repository.folder];
  const git = await repository.git.start(repository.folder, args, { signal, env, settings }).catch((error: unknown) => {
    release();
    throw error;
  });
  void git.ended.then(release);
  git.stdin.end();
  const type = 'application/x-git-upload-pack-advertisement';
  // The other versions begin with the name of the service.
  if (env['GIT_PROTOCOL'] === 'version=2') return { status: 200, type, stream: git.stdout };
  const header = Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH]);
  return { status: 200, type, stream: Readable.from(joined(header, git.stdout), { objectMode: false }) };
}

async function* joined(header: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield header;
  yield* rest;
}

/** Streams a fetch: the request of the client to git, and the pack from git to the client. */
export async function uploadPack(core: GitCore, target: GitTarget, context: RequestContext): Promise<HttpResponse> {
  demandContentType(context, 'git-upload-pack');
  const stages = bodyStages(context, MAX_NEGOTIATION);
  const signal = context.disconnected(IDLE_LIMIT);
  // A transfer begins when its request is complete, so that a slow client holds no process.
  const body = await context.body(MAX_NEGOTIATION);
  const { repository, release } = await repositoryOf(core, target);
  const args = ['upload-pack', '--strict', '--stateless-rpc', repository.folder];
  const git = await repository.git
    .start(repository.folder, args, { signal, env: protocolOf(context), settings })
    .catch((error: unknown) => {
      release();
      throw error;
    });
  void git.ended.then(({ code, problem }) => {
    release();
    if (code !== 0 && !signal.aborted) core.log.debug(`git upload-pack exited with code ${code}: ${problem}`);
  });
  let failure: unknown;
  pipeline([Readable.from([body]), ...stages, git.stdin]).catch((error: unknown) => {
    // Git closes its input early if it refuses the request; its output then says why.
    if (isClosedInput(error)) return;
    failure = error;
    git.kill();
  });
  await begun(git.stdout);
  if (failure !== undefined) throw bodyFailure(failure);
  const stream = Readable.from(continued(git.stdout, PACK_TIME, git.kill), { objectMode: false });
  return { status: 200, type: 'application/x-git-upload-pack-result', stream };
}

function isClosedInput(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}

interface OpenedRepository {
  readonly repository: RepositoryDir;
  /** Must be called when the repository is no longer used. */
  release(): void;
}

/** Opens the repository of a project or snippet. A project without a repository gets an empty one, which is not stored. */
async function repositoryOf(core: GitCore, target: GitTarget): Promise<OpenedRepository> {
  if (target.kind === 'snippet')
    return { repository: await openForFetch(core, target.snippet.repository_id), release: () => undefined };
  const repository = await openWithMergeRequests(core, target.project);
  if (repository !== undefined) return { repository, release: () => undefined };
  const { default_branch: branch } = target.project;
  const folder = emptyRepository(isRefName(branch) ? branch : 'main');
  const release = (): void => rmSync(folder, { recursive: true, force: true });
  return { repository: { git: core.repositories.git, folder }, release };
}

/** Creates a temporary bare repository without refs (gitrepository-layout(5)). */
function emptyRepository(branch: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-empty-'));
  for (const inner of ['objects', 'refs']) mkdirSync(path.join(folder, inner));
  writeFileSync(path.join(folder, 'HEAD'), `ref: refs/heads/${branch}\n`);
  return folder;
}
