import { describePalette } from '../support/host/palette.ts';
import { sampleOf } from '../support/sample.ts';

/** Number of commands that are run in each state. */
const RUN = 5;

describePalette((state, entries) => sampleOf(`palette, ${state}`, entries, RUN));
