import type { HttpResponse } from '../../../http/requestContext.ts';
import { allRefs, refPath } from '../../git/git.ts';
import type { Core } from '../../../core/core.ts';
import { VERSION } from '../../../core/version.ts';
import { FLUSH, pktLine } from '../pktLine.ts';
import { NO_OBJECT } from './commands.ts';

/** A ref as it is advertised. */
export interface AdvertisedRef {
  readonly name: string;
  readonly target: string;
}

const capabilities = [
  'report-status',
  'report-status-v2',
  'delete-refs',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'push-options',
  'object-format=sha1',
  `agent=git/signalbox-${VERSION}`,
].join(' ');

/** Returns the refs of a project, in the order of their names. */
export function refsOf({ store }: Core, projectId: number): AdvertisedRef[] {
  return allRefs(store, projectId).map(({ kind, name, target }) => ({ name: refPath(kind, name), target }));
}

/** Starts a push: returns the refs of the repository and the capabilities of the server. */
export function advertiseReceivePack(refs: readonly AdvertisedRef[]): HttpResponse {
  const sorted = [...refs].sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  const shown = sorted.length === 0 ? [{ name: 'capabilities^{}', target: NO_OBJECT }] : sorted;
  const lines = shown.map(({ name, target }, index) => pktLine(`${target} ${name}${index === 0 ? `\0${capabilities}` : ''}\n`));
  return {
    status: 200,
    type: 'application/x-git-receive-pack-advertisement',
    body: Buffer.concat([pktLine('# service=git-receive-pack\n'), FLUSH, ...lines, FLUSH]),
  };
}
