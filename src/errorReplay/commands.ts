import { commands } from '../ids.ts';
import type { PanelTarget } from '../errorPanel/source.ts';
import type { ErrorLink } from '../errorTracking/target.ts';
import type { ErrorRow } from '../errorTracking/rows.ts';
import type { ErrorReplay } from './errorReplay.ts';

export interface ErrorReplayCommandSettings {
  /** Returns the owner of the replays, which is loaded on the first call. */
  readonly replay: () => Promise<ErrorReplay>;
  /** Returns the error of a row or link; without one, the selected error or one that the user selects. */
  readonly errorOf: (target: ErrorRow | ErrorLink | undefined) => Promise<PanelTarget | undefined>;
}

export function errorReplayCommands({ replay, errorOf }: ErrorReplayCommandSettings) {
  return {
    [commands.errorReplayStart]: async (target?: ErrorRow | ErrorLink) => {
      const error = await errorOf(target);
      if (error !== undefined) await (await replay()).start(error);
    },
  };
}
