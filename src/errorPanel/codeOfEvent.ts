import type { ErrorDetail, ErrorEvent, ShownFrame } from '../contract/errorDetail.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { Suspect } from '../errorCode/suspectCommit.ts';
import type { PanelState, PlaceOfFrame, ToPage } from './protocol.ts';
import type { DetailSource } from './source.ts';

export interface CodeOfEventSettings {
  readonly code: ErrorCode;
  readonly project: ErrorProject;
  readonly source: DetailSource;
  readonly state: () => PanelState;
  readonly send: (message: ToPage) => void;
}

/** Sends the page of a panel what the workspace says about the shown event. */
export interface CodeOfEvent {
  /** Sends it if another event is shown than before. */
  readonly follow: () => void;
  /** Sends it again, because the workspace may say something else now. */
  readonly refresh: () => void;
  /** Nothing is sent afterwards. */
  readonly dispose: () => void;
}

export function createCodeOfEvent({ code, project, source, state, send }: CodeOfEventSettings): CodeOfEvent {
  let shown: ErrorEvent | null = null;
  let rounds = 0;
  let suspect: Suspect | undefined;
  let known: { readonly version: string; readonly releases: readonly string[] } | undefined;

  /** Events follow each other quickly, and most are of the same release. */
  async function releasesBefore(version: string): Promise<readonly string[]> {
    if (known?.version !== version) known = { version, releases: await source.releasesBefore(version) };
    return known.releases;
  }

  async function show(): Promise<void> {
    const current = state();
    if (current.kind !== 'ready' || current.event === null) return;
    const { detail, event, abilities } = current;
    if (event !== shown) suspect = undefined;
    shown = event;
    rounds += 1;
    const round = rounds;
    const places = await placesOf(code, project, detail, event);
    if (round !== rounds) return;
    send({ type: 'places', event: event.id, places });
    const before = async (version: string): Promise<readonly string[]> => (abilities.listsEvents ? releasesBefore(version) : []);
    // A commit that was found stays suspect.
    const found = suspect ?? (await code.suspectOf(project, detail, event, before));
    if (round !== rounds) return;
    suspect = found.commit === null ? undefined : found;
    send({ type: 'suspect', event: event.id, suspect: found });
  }

  return {
    follow: () => {
      const current = state();
      if (current.kind === 'ready' && current.event !== null && current.event !== shown) void show();
    },
    refresh: () => void show(),
    dispose: () => {
      rounds += 1;
    },
  };
}

/** Maximum number of frames of an event whose places are searched. */
const MAX_FRAMES = 60;

/** Returns where the frames of the program in an event are in the open folders. Frames whose file is unknown are left out. */
async function placesOf(
  code: ErrorCode,
  project: ErrorProject,
  detail: ErrorDetail,
  event: ErrorEvent,
): Promise<readonly PlaceOfFrame[]> {
  if (event.data === null) return [];
  const { exceptions, threads } = event.data;
  const own = [...exceptions, ...threads]
    .flatMap(({ frames }, stack) => frames.map((frame, index) => ({ frame, stack, index })))
    .filter(({ frame }) => frame.inApp !== false)
    .slice(0, MAX_FRAMES);
  const release = releaseOf(detail, event);
  const found = await Promise.all(
    own.map(async ({ frame, stack, index }) => {
      const place = await code.placeOf(project, frame, release);
      return place === undefined || isAsReported(frame, place) ? [] : [{ stack, frame: index, ...place }];
    }),
  );
  return found.flat();
}

function isAsReported({ line }: ShownFrame, place: { readonly line: number; readonly doubt: string | null }): boolean {
  return line === place.line && place.doubt === null;
}
