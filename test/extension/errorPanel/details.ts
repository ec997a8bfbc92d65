import type { ErrorDetail, ErrorEvent, EventData, ShownFrame } from '../../../src/contract/errorDetail.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');

export function errorDetail(more: Partial<ErrorDetail> = {}): ErrorDetail {
  return {
    ...{ id: '7', title: 'TypeError: boom', message: null, culprit: 'greet', level: 'error', status: 'unresolved' as const },
    ...{ first_seen: NOW - 1000, last_seen: NOW, count: 3, user_count: 1, type: 'TypeError', isRegression: false },
    ...{
      statusReleases: [],
      countSinceStatus: null,
      fixedIn: null,
      statusChangedAt: null,
      ignored: null,
      firstRelease: null,
      lastRelease: null,
      hourly: [],
      daily: [],
    },
    ...{
      environments: [],
      environmentCounts: [],
      levels: [],
      releases: [],
      webUrl: 'http://127.0.0.1/x',
      latestEvent: null,
      grouping: null,
    },
    ...{ assignee: null, issue: null, lastChange: null, groupings: [] },
    ...more,
  };
}

export function eventData(more: Partial<EventData> = {}): EventData {
  return {
    ...{ platform: 'node', exceptions: [], threads: [], message: null, breadcrumbs: [], tags: [], user: [], request: null },
    ...{ contexts: [], extra: [], modules: [], serverName: null, sdk: null },
    ...more,
  };
}

export function errorEvent(id: string, data: EventData | null = eventData()): ErrorEvent {
  return { id, occurredAt: NOW, release: '1.0', environment: 'production', level: 'error', data };
}

export function shownFrame(name: string, more: Partial<ShownFrame> = {}): ShownFrame {
  return {
    ...{ filename: 'src/greet.js', absPath: null, module: null, function: name, line: 3, column: 26, inApp: true },
    ...{ code: [], variables: [], mapProblem: null, isMapDoubtful: false },
    ...more,
  };
}
