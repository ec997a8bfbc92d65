import * as z from 'zod';
import type {
  Blob,
  Branch,
  Commit,
  CommitDetail,
  CommitWithStats,
  Comparison,
  Diff,
  LastPipeline,
  RefName,
  RepositoryFile,
  Tag,
  TreeEntry,
} from '../../../src/contract/repositories.ts';
import { address, count, eitherOf, id, listOf, moment, named, readAs } from '../../http/responses.ts';

/** Id of a git object. */
const hash = () => z.string().regex(/^[0-9a-f]{40}$/);
/** A time in the zone of the author (`+01:00`). */
const zonedMoment = () => z.iso.datetime({ offset: true, precision: 3 });

const commitMembers = () => ({
  id: hash(),
  short_id: z.string(),
  created_at: zonedMoment(),
  parent_ids: z.array(hash()),
  title: z.string(),
  message: z.string(),
  author_name: z.string(),
  author_email: z.string(),
  authored_date: zonedMoment(),
  committer_name: z.string(),
  committer_email: z.string(),
  committed_date: zonedMoment(),
  // Trailers such as `Signed-off-by` are not parsed.
  trailers: z.strictObject({}),
  extended_trailers: z.strictObject({}),
  web_url: address(),
});

/** A file that a search found, with the lines around a match. */
export const foundBlob = named('FoundBlob', () =>
  z.strictObject({
    // The path without its last extension.
    basename: z.string(),
    data: z.string(),
    path: z.string(),
    filename: z.string(),
    id: z.null(),
    ref: z.string(),
    startline: z.int().positive(),
    project_id: id(),
  }),
);

const stats = () => z.strictObject({ additions: count(), deletions: count(), total: count() });

export const commit = named('Commit', () => readAs<Commit>()(z.strictObject(commitMembers())));
const commitWithStats = named('CommitWithStats', () =>
  readAs<CommitWithStats>()(z.strictObject({ ...commitMembers(), stats: stats() })),
);
/** Line counts are included on request. */
export const listedCommits = listOf(eitherOf(commit, commitWithStats));

/** Returns the schema of a commit as a single resource. `pipeline` is the schema of its last pipeline. */
export const commitDetail = (pipeline: () => z.ZodType<LastPipeline>) =>
  named('CommitDetail', () =>
    readAs<CommitDetail>()(
      z.strictObject({
        ...commitMembers(),
        // Omitted for `stats=false`.
        stats: stats().exactOptional(),
        status: z.string().nullable(),
        project_id: id(),
        last_pipeline: pipeline().nullable(),
      }),
    ),
  );

const mode = () => z.string().regex(/^(?:0|[0-7]{6})$/);

export const diff = named('Diff', () =>
  readAs<Diff>()(
    z.strictObject({
      diff: z.string(),
      collapsed: z.boolean(),
      too_large: z.boolean(),
      new_path: z.string(),
      old_path: z.string(),
      a_mode: mode(),
      b_mode: mode(),
      new_file: z.boolean(),
      renamed_file: z.boolean(),
      deleted_file: z.boolean(),
      generated_file: z.null(),
    }),
  ),
);

export const branch = named('Branch', () =>
  readAs<Branch>()(
    z.strictObject({
      name: z.string(),
      commit: commit(),
      merged: z.boolean(),
      protected: z.boolean(),
      developers_can_push: z.boolean(),
      developers_can_merge: z.boolean(),
      can_push: z.boolean(),
      default: z.boolean(),
      web_url: address(),
    }),
  ),
);

export const tag = named('Tag', () =>
  readAs<Tag>()(
    z.strictObject({
      name: z.string(),
      message: z.string().nullable(),
      target: hash(),
      commit: commit(),
      release: z.strictObject({ tag_name: z.string(), description: z.string().nullable() }).nullable(),
      protected: z.boolean(),
      created_at: moment().nullable(),
    }),
  ),
);

export const refName = named('RefName', () =>
  readAs<RefName>()(z.strictObject({ type: z.enum(['branch', 'tag']), name: z.string() })),
);

export const treeEntry = named('TreeEntry', () =>
  readAs<TreeEntry>()(
    z.strictObject({
      id: hash(),
      name: z.string(),
      type: z.enum(['tree', 'blob', 'commit']),
      path: z.string(),
      mode: mode(),
    }),
  ),
);

const base64 = () => z.base64();

export const file = named('RepositoryFile', () =>
  readAs<RepositoryFile>()(
    z.strictObject({
      file_name: z.string(),
      file_path: z.string(),
      size: count(),
      encoding: z.literal('base64'),
      content_sha256: z.string().regex(/^[0-9a-f]{64}$/),
      ref: z.string(),
      blob_id: hash(),
      commit_id: hash(),
      last_commit_id: hash(),
      execute_filemode: z.boolean(),
      content: base64(),
    }),
  ),
);

export const writtenFile = named('WrittenFile', () => z.strictObject({ file_path: z.string(), branch: z.string() }));

export const blob = named('Blob', () =>
  readAs<Blob>()(z.strictObject({ size: count(), encoding: z.literal('base64'), content: base64(), sha: hash() })),
);

export const comparison = named('Comparison', () =>
  readAs<Comparison>()(
    z.strictObject({
      commit: commit().nullable(),
      commits: z.array(commit()),
      diffs: z.array(diff()),
      compare_timeout: z.boolean(),
      compare_same_ref: z.boolean(),
      web_url: address(),
    }),
  ),
);

const blamedCommit = () =>
  z.strictObject({
    id: hash(),
    parent_ids: z.array(hash()),
    message: z.string(),
    authored_date: moment(),
    author_name: z.string(),
    author_email: z.string(),
    committed_date: moment(),
    committer_name: z.string(),
    committer_email: z.string(),
  });

export const blame = named('Blame', () => z.array(z.strictObject({ commit: blamedCommit(), lines: z.array(z.string()) })));

/** Percentages by language. */
export const languages = named('Languages', () => z.record(z.string(), z.number().min(0).max(100)));

export const contributor = named('Contributor', () =>
  z.strictObject({ name: z.string(), email: z.string(), commits: count(), additions: count(), deletions: count() }),
);

export const sequence = named('CommitSequence', () => z.strictObject({ count: count() }));
