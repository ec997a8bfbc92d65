// Wide: Every command of the palette runs while the server is stopped, signed out and signed in.
import { describePalette } from '../support/host/palette.ts';

describePalette((_state, entries) => entries);
