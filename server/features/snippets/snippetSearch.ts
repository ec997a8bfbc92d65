import type { Caller } from '../../core/caller.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { OffsetList } from '../../http/pagination.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { visibleProjectsSql } from '../abilities/abilities.ts';
import { visibleSnippetsSql } from './access.ts';
import { presentSnippets } from './present.ts';
import type { snippetResponse } from './responses.ts';
import { countSnippets, listSnippets, type SnippetFilter } from './store.ts';

/** Returns the snippets that the caller can see and whose title or description contains a text. */
export function searchSnippets(
  core: GitCore,
  reader: { readonly baseUrl: string; readonly caller: Caller },
  search: string,
  sort: 'asc' | 'desc',
): OffsetList<ResponseOf<typeof snippetResponse>> {
  const access = accessOf(reader.caller);
  const visible = visibleSnippetsSql(access, visibleProjectsSql(access));
  const filter: SnippetFilter = { viewer: viewerId(reader.caller), visible, search };
  return {
    count: (cap) => countSnippets(core.store, filter, cap),
    rows: (limit, offset) => presentSnippets(core, listSnippets(core.store, filter, limit, offset, sort), reader),
  };
}
