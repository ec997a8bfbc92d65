import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { CommitNoteable } from './commitPages.ts';
import type { CommitPipelines } from './commitRoutes.ts';
import { repositoryPages } from './pages.ts';
import { repositoryRoutes } from './routes.ts';
import type { ReleasesByTag } from './tagRoutes.ts';

export { archiveFormats } from './archive.ts';
export { archiveAddress } from './archivePage.ts';
export { searchBlobs, searchCommits } from './blobSearch.ts';
export { diffMarkup, SHOWN_FILES } from './diffMarkup.ts';
export { repositoryCards } from './pages.ts';
export { presentDiff } from './present.ts';
export { presentCommit } from './presentCommit.ts';
export { commit, diff, foundBlob } from './responses.ts';
export { pageResponse, type PushRequest, pushRoute, type ReadRequest, readRoute } from './route.ts';
export { linesOf } from './treePages.ts';

/** Functions of other features that add pipelines, releases and comments to commits and tags. */
export interface CodeContext {
  readonly pipelines: CommitPipelines;
  readonly releasesByTag: ReleasesByTag;
  readonly commitNoteable: CommitNoteable;
}

/** Files, commits, branches and tags of projects: their endpoints, and their pages, which are matched after the pages of other features. */
export function code(context: CodeContext): Feature<GitCore> {
  return {
    routes: (core) => repositoryRoutes(core, context.pipelines, context.releasesByTag),
    pages: (core) => repositoryPages(core, context.commitNoteable),
  };
}
