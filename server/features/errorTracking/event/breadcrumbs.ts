import { isJsonObject } from '../../../../src/contract/json.ts';
import type { Breadcrumb, EventLevel } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';
import { itemsOf } from './readItems.ts';
import { type Location, readName, type Reading, readText, report } from './readValue.ts';
import { timeOf } from './sdkTimes.ts';
import { readMap } from './jsonTree.ts';
import { contentScrubber, nameScrubber } from './scrubText.ts';

/** Returns the newest breadcrumbs, oldest first, in the order in which they were sent (docs/interface.md#event-payloads). */
export function readBreadcrumbs(reading: Reading, breadcrumbs: unknown): readonly Breadcrumb[] {
  const { list } = itemsOf(reading, breadcrumbs, 'breadcrumbs');
  const skipped = Math.max(list.length - limits.breadcrumbs, 0);
  if (skipped > 0) report(reading, 'too_many', undefined, 'breadcrumbs', list.length);
  const location: Location = { parent: undefined, key: 'breadcrumbs' };
  const read: Breadcrumb[] = [];
  for (let index = skipped; index < list.length; index += 1) {
    const crumb = list[index];
    if (!isJsonObject(crumb)) {
      if (crumb !== null) report(reading, 'invalid_data', location, index, crumb);
      continue;
    }
    const at = { parent: location, key: index };
    const time = timeOf(crumb['timestamp']);
    if (time === undefined && crumb['timestamp'] !== undefined && crumb['timestamp'] !== null) {
      report(reading, 'invalid_data', at, 'timestamp', crumb['timestamp']);
    }
    read.push({
      at: time === undefined ? undefined : time + reading.drift,
      category: readName(reading, crumb['category'], limits.text, nameScrubber, at, 'category'),
      type: readName(reading, crumb['type'], limits.text, nameScrubber, at, 'type'),
      level: readLevel(reading, crumb['level'], at),
      message: readText(reading, crumb['message'], limits.crumbMessage, contentScrubber, at, 'message'),
      data: readMap(reading, crumb['data'], limits.crumbData, at, 'data'),
    });
  }
  return read;
}

const levels: ReadonlyMap<unknown, EventLevel> = new Map<unknown, EventLevel>([
  ['fatal', 'fatal'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['info', 'info'],
  ['debug', 'debug'],
  ['critical', 'fatal'],
  ['emergency', 'fatal'],
  ['alert', 'fatal'],
  ['err', 'error'],
  ['warn', 'warning'],
  ['log', 'info'],
  ['notice', 'info'],
  ['trace', 'debug'],
  // Levels of the logging module of Python, which raven sent.
  [50, 'fatal'],
  [40, 'error'],
  [30, 'warning'],
  [20, 'info'],
  [10, 'debug'],
]);

/** Returns undefined if the level is missing or unknown. An unknown level is reported as a problem. */
export function readLevel(reading: Reading, level: unknown, parent: Location | undefined): EventLevel | undefined {
  if (level === undefined || level === null) return undefined;
  const known = levels.get(level);
  if (known !== undefined) return known;
  const text = typeof level === 'string' && level.length < 20 ? level.trim().toLowerCase() : undefined;
  const other = text === undefined ? undefined : (levels.get(text) ?? levels.get(Number(text)));
  if (other === undefined) report(reading, 'invalid_data', parent, 'level', level);
  return other;
}
