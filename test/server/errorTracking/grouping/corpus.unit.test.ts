import assert from 'node:assert/strict';
import { offeredKeys } from '../../../../server/features/errorTracking/receive/offeredKeys.ts';
import type { TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { corpus } from './corpus/corpus.ts';
import { type EventSummary, KEY } from './corpus/writers.ts';
import { ingested } from '../reading.ts';

describe('events of real SDKs', () => {
  for (const sample of corpus) {
    it(sample.name, async () => {
      const { envelope, events } = await ingested(sample);
      if (sample.endpoint === 'envelope') {
        assert.equal(envelope?.failure, undefined);
        assert.deepEqual(typesOf(envelope), [...(sample.items ?? [])].sort());
      }
      assert.equal(events.length, sample.event === undefined ? 0 : 1);
      const [event] = events;
      if (event !== undefined && sample.event !== undefined) {
        assert.deepEqual(summaryOf(event, sample.event), sample.event);
        const unexpected = event.problems.filter(({ type }) => type !== 'scrubbed');
        assert.deepEqual(unexpected, []);
        assert.doesNotMatch(
          JSON.stringify([event.request, event.extra, event.contexts, event.exceptions]),
          /hunter2|Bearer abc|token=abc/,
        );
      }
      const keys = offeredKeys({
        query: sample.query ?? '',
        headers: sample.headers,
        ...(envelope && { envelopeHeader: envelope.header }),
      });
      assert.deepEqual(
        keys.map(({ key }) => key),
        [KEY],
      );
    });
  }
});

function typesOf(envelope: Awaited<ReturnType<typeof ingested>>['envelope']): string[] {
  const stored: string[] = envelope?.items.map(({ type }) => type) ?? [];
  const skipped = [...(envelope?.skipped ?? [])].flatMap(([type, count]) => Array.from({ length: count }, () => type));
  return [...stored, ...skipped].sort();
}

/** Returns the members of an event that a summary has. */
function summaryOf(event: TrackedEvent, wanted: EventSummary): EventSummary {
  const last = event.exceptions.at(-1);
  const whole: EventSummary = {
    id: event.id,
    platform: event.platform,
    level: event.level,
    occurredAt: new Date(event.occurredAt).toISOString(),
    exceptions: event.exceptions.map(({ type, value }) => `${type}: ${value}`),
    frames: (last?.frames ?? []).map(
      ({ inApp, function: name, filename, absPath, line }) => `${inApp ? '*' : ''}${name} ${filename ?? absPath}:${line ?? '-'}`,
    ),
    ...(event.message && { message: [event.message.template, event.message.text] as const }),
    threadFrames: event.threads.flatMap(({ frames }) => frames).length,
    eventFrames: event.frames.length,
    breadcrumbs: event.breadcrumbs.length,
    tags: Object.fromEntries(event.tags),
    ...(event.user?.id !== undefined && { user: event.user.id }),
    ...(event.appRelease !== undefined && { release: event.appRelease }),
    fingerprint: event.fingerprint,
    contexts: Object.keys(event.contexts),
    ...(last?.mechanism?.handled !== undefined && { handled: last.mechanism.handled }),
  };
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name in wanted));
}
