import { compiled } from './compiled.ts';
import { javascript } from './javascript.ts';
import { phpAndRuby } from './phpAndRuby.ts';
import { python } from './python.ts';
import type { Sample } from './writers.ts';

/** Requests as the SDKs send them (errors.md §1 to §3), each once in every style that there is or was. */
export const corpus: readonly Sample[] = [...javascript, ...python, ...compiled, ...phpAndRuby];
