import type { Core } from '../../../core/core.ts';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { mapProblems } from '../event/sourceMapProblems.ts';
import {
  chooseMap,
  comparablePath,
  indexMaps,
  type MapChoice,
  type MapIndex,
  type MappedFrame,
  type UploadedMap,
} from './chooseSourceMap.ts';
import { listSourceMaps, sourceMapBytes } from './sourceMapStore.ts';
import { framesBySourceMaps } from './sourceMapThread.ts';
import { MAX_MAPS } from './uploadSourceMap.ts';

/** A map with the key that the thread uses. */
interface KnownMap extends UploadedMap {
  readonly key: string;
}

type Indexes = Map<number, MapIndex<KnownMap> | undefined>;

/** Maximum number of projects with a cached index. */
const MAX_PROJECTS = 200;
/** Platforms of events that can have source maps, as SDKs name them. */
const PLATFORMS: ReadonlySet<string> = new Set(['javascript', 'node']);

const indexes = new WeakMap<Core, Indexes>();

/**
 * Returns an event with mapped frames. Returns the same event synchronously if it is not JavaScript or its project has no source
 * map. Never rejects: frames that cannot be mapped stay unchanged, with the reason.
 */
export function withSourceMaps(core: Core, projectId: number, event: TrackedEvent): TrackedEvent | Promise<TrackedEvent> {
  if (!PLATFORMS.has(event.platform)) return event;
  const index = indexOf(core, projectId);
  return index === undefined ? event : mappedEvent(core, projectId, event, index);
}

export function hasSourceMaps(core: Core, projectId: number): boolean {
  return indexOf(core, projectId) !== undefined;
}

/** Returns undefined if the project has no map. */
function indexOf(core: Core, projectId: number): MapIndex<KnownMap> | undefined {
  let known = indexes.get(core);
  if (known === undefined) {
    const made: Indexes = new Map();
    core.changes.subscribe((change) => {
      if (change.kind === 'sourceMapUploaded' || change.kind === 'sourceMapRemoved') made.delete(change.projectId);
    });
    indexes.set(core, made);
    known = made;
  }
  if (known.has(projectId)) return known.get(projectId);
  const rows = listSourceMaps(core.store, projectId, MAX_MAPS, 0);
  const maps = rows.map(
    ({ file, app_release, dist, debug_id, key, uploaded_at }): KnownMap => ({
      file,
      appRelease: app_release === '' ? undefined : app_release,
      dist: dist === '' ? undefined : dist,
      debugId: debug_id === '' ? undefined : debug_id,
      key,
      uploadedAt: uploaded_at,
    }),
  );
  const index = maps.length === 0 ? undefined : indexMaps(maps);
  if (known.size >= MAX_PROJECTS) known.clear();
  known.set(projectId, index);
  return index;
}

async function mappedEvent(core: Core, projectId: number, event: TrackedEvent, index: MapIndex<KnownMap>): Promise<TrackedEvent> {
  const { exceptions, threads, appRelease, dist } = event;
  const debugIds = new Map(Array.from(event.debugIds, ([file, id]) => [comparablePath(file), id]));
  const stacks = [...exceptions.map(({ frames }) => frames), ...threads.map(({ frames }) => frames), event.frames];
  // A stack has frames of few files.
  const known = new Map<string, MapChoice<string>>();
  const choices = stacks.map((frames) =>
    frames.map((frame) => {
      const file = `${frame.filename ?? ''}\n${frame.absPath ?? ''}`;
      if (known.has(file)) return known.get(file);
      const choice = chooseMap(frame, { index, debugIds, appRelease, dist });
      const stored = choice === undefined || 'kind' in choice ? choice : { ...choice, map: choice.map.key };
      known.set(file, stored);
      return stored;
    }),
  );
  if ([...known.values()].every((choice) => choice === undefined)) return event;
  const mapped = await mappedStacks(core, projectId, stacks, choices);
  const framesAt = (at: number): readonly Frame[] =>
    (stacks[at] ?? []).map((frame, location) => shownFrame(frame, mapped[at]?.[location], choices[at]?.[location]));
  return {
    ...event,
    exceptions: exceptions.map((one, at) => ({ ...one, frames: framesAt(at) })),
    threads: threads.map((one, at) => ({ ...one, frames: framesAt(exceptions.length + at) })),
    frames: framesAt(exceptions.length + threads.length),
  };
}

async function mappedStacks(
  { store, log }: Core,
  projectId: number,
  stacks: readonly (readonly Frame[])[],
  choices: readonly (readonly MapChoice<string>[])[],
): Promise<readonly (readonly MappedFrame[])[]> {
  try {
    return await framesBySourceMaps(
      stacks.map((frames, at) => ({ frames: frames.map(positionOnly), choices: choices[at] ?? [] })),
      (key) => sourceMapBytes(store, projectId, key),
    );
  } catch (error) {
    // The event is stored with unmapped frames rather than not at all.
    log.error('the source maps of an event could not be read', error);
    return choices.map((stackChoices) =>
      stackChoices.map((choice) =>
        choice === undefined || 'kind' in choice
          ? choice
          : mapProblems.unreadable(choice.path, 'reading it failed; the log of the server has the cause'),
      ),
    );
  }
}

/** Returns only the members of a frame that the thread needs, without large ones. */
function positionOnly(frame: Frame): Frame {
  return { ...frame, contextLine: undefined, preContext: [], postContext: [], vars: undefined };
}

function shownFrame(sent: Frame, mapped: MappedFrame, choice: MapChoice<string>): Frame {
  if (mapped === undefined) return sent;
  if ('kind' in mapped) return { ...sent, mapping: { problem: mapped } };
  const { filename, absPath, function: name, line, column } = sent;
  const doubt = choice === undefined || 'kind' in choice ? undefined : choice.doubt;
  return { ...mapped, vars: sent.vars, mapping: { from: { filename, absPath, function: name, line, column }, doubt } };
}

/** Returns a mapped event whose frames are the sent ones where the map may be of another release or build. They decide the grouping. */
export function withoutDoubtfulFrames(mapped: TrackedEvent, sent: TrackedEvent): TrackedEvent {
  const isDoubtful = ({ mapping }: Frame): boolean => mapping !== undefined && 'from' in mapping && mapping.doubt !== undefined;
  const stacks = [...mapped.exceptions, ...mapped.threads, mapped];
  if (!stacks.some(({ frames }) => frames.some(isDoubtful))) return mapped;
  const certain = (frames: readonly Frame[], sentFrames: readonly Frame[] = []): readonly Frame[] =>
    frames.map((frame, at) => (isDoubtful(frame) ? (sentFrames[at] ?? frame) : frame));
  return {
    ...mapped,
    exceptions: mapped.exceptions.map((one, at) => ({ ...one, frames: certain(one.frames, sent.exceptions[at]?.frames) })),
    threads: mapped.threads.map((one, at) => ({ ...one, frames: certain(one.frames, sent.threads[at]?.frames) })),
    frames: certain(mapped.frames, sent.frames),
  };
}
