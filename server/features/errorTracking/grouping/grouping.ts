import { hash } from 'node:crypto';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { mainException, stacksOf } from '../event/mainStack.ts';
import { isRuntimeFunction, nativePlatforms } from '../event/sdkFrames.ts';
import { appFrames, type FrameRules, usedStack, wholeFrames } from './comparedStack.ts';
import { comparedTexts, nothing } from './comparedTexts.ts';
import { chainOf, type Chain, membersOf } from './exceptionMembers.ts';
import { fingerprintOf } from './fingerprints.ts';
import { formerReadings, formerStepsOf } from './formerGroupings.ts';
import { cleanFrame } from './frameNames.ts';
import { type Content, distinctContents, hasDefault, partsOf, type Steps } from './groupingParts.ts';

/**
 * Version of the algorithm (docs/interface.md#grouping). A change of the result for any event requires a new version, and the
 * former rules move to `formerGroupings.ts`, so that new events find the errors that were grouped by them. Version 3 compares
 * functions and files that engines and builds name anew, the members of exception groups, and variables of fingerprints.
 */
export const groupingVersion = 3;
const formerVersions: readonly number[] = [2, 1];

export interface GroupingHashes {
  readonly version: number;
  /** SHA-256 of the application frames, 32 bytes. An event belongs to the group with this hash, … */
  readonly app: Buffer;
  /**
   * … or else to the group with this hash of all frames, because the same stack may be sent with other `in_app` flags. Computed
   * on demand, which is rare.
   */
  readonly whole: () => Buffer;
}

export interface Grouping extends GroupingHashes {
  /** Hashes by the former versions of the algorithm, the latest first: an event of an existing error stays in it. */
  readonly former: () => readonly GroupingHashes[];
}

/** Returns the hashes that decide which group of a project an event belongs to. `isScrubbed` tells whether the project scrubs secrets. */
export function groupingOf(event: TrackedEvent, projectId: number, isScrubbed: boolean): Grouping {
  return {
    ...hashesBy(groupingVersion, event, projectId),
    former: () =>
      formerVersions.flatMap((version) =>
        formerReadings(event, isScrubbed).map((reading) => hashesBy(version, reading, projectId)),
      ),
  };
}

/** Returns the hashes by one version of the algorithm. */
export function hashesBy(version: number, event: TrackedEvent, projectId: number): GroupingHashes {
  return {
    version,
    app: hashOf(projectId, version, partsOf(stepsOf(event, version), appFrames)),
    // The steps are repeated, so that they are not kept in memory until the event is written.
    whole: () => hashOf(projectId, version, partsOf(stepsOf(event, version), wholeFrames)),
  };
}

function hashOf(projectId: number, version: number, parts: string): Buffer {
  // A hexadecimal digest takes less time than a buffer, which would need separate memory.
  return Buffer.from(hash('sha256', `${projectId}:${version}:${parts}`, 'hex'), 'hex');
}

/** Returns what a version of the algorithm compares of an event. */
export function stepsOf(event: TrackedEvent, version: number): Steps {
  if (version < groupingVersion) return formerStepsOf(event, version);
  const fingerprint = event.fingerprint.length === 0 ? [] : fingerprintOf(event, rulesFor(event.platform));
  const isReplaced = fingerprint.length > 0 && !fingerprint.some(hasDefault);
  return { fingerprint, content: isReplaced ? undefined : contentOf(event) };
}

function contentOf(event: TrackedEvent): Content {
  const { distinct, single } = groupMembers(event);
  if (distinct.length < 2) return contentOfChain(event, single ?? chainOf(event.exceptions));
  return { ...nothing, platform: event.platform, by: 'exception_group', members: distinct };
}

interface GroupMembers {
  /** Distinct members. Empty if no exception group was caught. */
  readonly distinct: readonly Content[];
  /** The only kind of member. */
  readonly single: Chain | undefined;
}

const noMembers: GroupMembers = { distinct: [], single: undefined };

function groupMembers(event: TrackedEvent): GroupMembers {
  const members = membersOf(event.exceptions);
  if (members.length === 0) return noMembers;
  // Threads belong to the whole event.
  const alone = { ...event, threads: [], frames: [] };
  const contents = members.map((chain) => contentOfChain(alone, chain));
  const distinct = distinctContents(contents);
  const [first] = distinct;
  return { distinct, single: distinct.length !== 1 || first === undefined ? undefined : members[contents.indexOf(first)] };
}

/** Returns an event without the exception group around members that are all the same: it groups, and is named, like one of them. */
export function withoutWrapper(event: TrackedEvent): TrackedEvent {
  if (mainException(event)?.mechanism?.isExceptionGroup !== true) return event;
  const { single } = groupMembers(event);
  return single === undefined ? event : { ...event, exceptions: single.exceptions };
}

function contentOfChain(event: TrackedEvent, { exceptions, types }: Chain): Content {
  const chain = exceptions === event.exceptions ? event : { ...event, exceptions };
  const isMessage = mainException(chain) === undefined && chain.message !== undefined;
  const stack = isMessage ? undefined : usedStack(stacksOf(chain), rulesFor(chain.platform));
  return comparedTexts(chain, { types, stack, leavesOutSdkStack: true });
}

const rulesByPlatform = new Map<string, FrameRules>();
/** Maximum number of platforms whose rules are kept. More than this are made up. */
const MAX_PLATFORMS = 100;

function rulesFor(platform: string): FrameRules {
  let rules = rulesByPlatform.get(platform);
  if (rules === undefined) {
    const isNative = nativePlatforms.has(platform);
    rules = {
      clean: (frame) => cleanFrame(frame, platform),
      isApp: ({ inApp, function: name }) => inApp && !(isNative && isRuntimeFunction(name)),
      usesLines: true,
    };
    if (rulesByPlatform.size >= MAX_PLATFORMS) rulesByPlatform.clear();
    rulesByPlatform.set(platform, rules);
  }
  return rules;
}
