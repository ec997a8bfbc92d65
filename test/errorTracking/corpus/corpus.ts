import { compiled } from './compiled.ts';
import { javascript } from './javascript.ts';
import { phpAndRuby } from './phpAndRuby.ts';
import { python } from './python.ts';
import type { Sample } from './writers.ts';

/** Requests as the SDKs send them (docs/interface.md#error-ingestion), each once in every style that there is or was. */
export const corpus: readonly Sample[] = [...javascript, ...python, ...compiled, ...phpAndRuby];
