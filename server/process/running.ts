import { seed } from './seed.ts';
import { serve } from './serve.ts';

/** Implementations of the commands. They are a separate bundle, so that the code before them can enable the cache of compiled code. */
export const running = { seed, serve };
