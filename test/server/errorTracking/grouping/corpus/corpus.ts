import { compiled } from './compiled.ts';
import { former } from './former.ts';
import { javascript } from './javascript.ts';
import { phpAndRuby } from './phpAndRuby.ts';
import { python } from './python.ts';
import type { Sample } from './writers.ts';

/** Requests as SDKs send them (docs/interface.md#error-ingestion), one in each current and former format. */
export const corpus: readonly Sample[] = [...javascript, ...python, ...compiled, ...phpAndRuby, ...former];
