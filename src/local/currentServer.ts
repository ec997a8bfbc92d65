import type { DataProfile } from './profiles.ts';
import type { ServerProcess } from './serverProcess.ts';
import type { ServerStates } from './serverState.ts';

/** The local server as this window sees it. Starts, restarts and stops read and change it, one after the other. */
export interface CurrentServer {
  readonly states: ServerStates;
  /** Server that this window started and that has not been told to stop. */
  child: ServerProcess | undefined;
  /** Profile of the latest start. */
  profile: DataProfile;
  /** True once VS Code is shutting down; nothing is started any more. */
  isReleased: boolean;
}
