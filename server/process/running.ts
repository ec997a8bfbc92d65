import { seed } from './seed.ts';
import { serve } from './serve.ts';

/** Implementations of the commands. They are a separate bundle, which main.ts loads with the compiled code of an earlier process. */
export const running = { seed, serve };
