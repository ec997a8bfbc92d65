import * as z from 'zod';
import { commit } from '../code/code.ts';
import { address, count, id, moment, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { milestoneResponse } from '../milestones/milestones.ts';

export const releaseLink = named('ReleaseLink', () =>
  z.strictObject({
    id: id(),
    name: z.string(),
    url: address(),
    direct_asset_url: address(),
    link_type: z.enum(['other', 'runbook', 'image', 'package']),
  }),
);

const issueStats = () => z.strictObject({ total: count(), closed: count() });

export const release = named('Release', () =>
  z.strictObject({
    tag_name: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    // Only with `include_html_description`.
    description_html: z.string().exactOptional(),
    created_at: moment(),
    released_at: moment(),
    upcoming_release: z.boolean(),
    author: userBasic(),
    // Omitted without milestones, and for callers who cannot see them.
    milestones: z.array(z.strictObject({ ...milestoneResponse().shape, issue_stats: issueStats() })).exactOptional(),
    // The following code-related members are only for callers who can read the code.
    commit: commit().exactOptional(),
    commit_path: z.string().exactOptional(),
    tag_path: z.string().exactOptional(),
    assets: z.strictObject({
      count: count(),
      sources: z.array(z.strictObject({ format: z.enum(['zip', 'tar.gz', 'tar']), url: address() })).exactOptional(),
      links: z.array(releaseLink()),
    }),
    _links: z.strictObject({ self: address() }),
  }),
);
