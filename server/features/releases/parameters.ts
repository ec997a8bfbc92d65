import * as z from 'zod';
import { declare, type Parameter } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';
import type { LinkInput } from './manageReleases.ts';
import { linkTypes } from './store.ts';

const shape = lazy(() => {
  const text = z.union([z.string(), z.number().transform(String)]);
  /** Treats null like a missing member. */
  const sent = z.preprocess((raw) => raw ?? undefined, text.optional());
  return z.object({ name: sent, url: sent, direct_asset_path: sent, filepath: sent, link_type: sent });
});

/** The links of a new release: `assets[links]`, an array of objects or, in a form, members with indexes. */
export const assetsParameter = (): Parameter<readonly LinkInput[] | undefined> =>
  declare(assetsSchema(), {
    kind: 'object',
    required: false,
    members: {
      links: {
        kind: 'objects',
        required: false,
        members: {
          name: { kind: 'string', required: true },
          url: { kind: 'string', required: true },
          direct_asset_path: { kind: 'string', required: false },
          filepath: { kind: 'string', required: false },
          link_type: { kind: 'enum', required: false, values: linkTypes, fallback: 'other' },
        },
      },
    },
  });

const assetsSchema = (): Parameter<readonly LinkInput[] | undefined> =>
  z.unknown().transform((raw, context): readonly LinkInput[] | undefined => {
    const addProblem = (message: string, ...path: (string | number)[]): void => {
      context.addIssue({ code: 'custom', message, path });
    };
    if (raw === undefined || raw === null || raw === '') return undefined;
    if (typeof raw !== 'object' || Array.isArray(raw)) {
      addProblem('is invalid');
      return z.NEVER;
    }
    const links: unknown = 'links' in raw ? raw.links : undefined;
    if (links === undefined || links === null || links === '') return undefined;
    const isNumbered = typeof links === 'object' && !Array.isArray(links) && Object.keys(links).every((key) => /^\d+$/.test(key));
    const list: unknown = isNumbered ? Object.values(links) : links;
    if (!Array.isArray(list)) {
      addProblem('is invalid', 'links');
      return z.NEVER;
    }
    const inputs: LinkInput[] = [];
    for (const [index, item] of list.entries()) {
      const read = shape().safeParse(item);
      if (!read.success) {
        addProblem('is invalid', 'links', index);
        continue;
      }
      const { name, url, direct_asset_path: path, filepath, link_type: type } = read.data;
      if (name === undefined) addProblem('is missing', 'links', index, 'name');
      if (url === undefined) addProblem('is missing', 'links', index, 'url');
      const linkType = linkTypes.find((known) => known === (type ?? 'other'));
      if (linkType === undefined) addProblem('does not have a valid value', 'links', index, 'link_type');
      inputs.push({ name: name ?? '', url: url ?? '', filepath: path ?? filepath, linkType });
    }
    return inputs;
  });
