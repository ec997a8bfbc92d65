import { seed } from './seed.ts';
import { serve } from './serve.ts';

/** What the commands do. A bundle of its own, so that what comes before it can say where compiled code is kept. */
export const running = { seed, serve };
