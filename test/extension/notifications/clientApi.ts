import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { Send } from '../../../src/api/transport.ts';
import { createNotificationApi, type NotificationApi } from '../../../src/notifications/api.ts';
import { createNotificationsModel, type NotificationsModel } from '../../../src/notifications/model.ts';
import type { NotificationScope } from '../../../src/notifications/scopes.ts';
import type { TestServer } from '../../support/server.ts';

/** Turns of the event loop without a request. What follows a response happens in the same turn. */
const IDLE_TURNS = 20;

export interface CountedApi {
  readonly api: NotificationApi;
  /** Method and path with query of each request. */
  readonly requests: string[];
  /** Returns the highest number of requests that were under way at once. */
  readonly mostAtOnce: () => number;
  /** Waits until all requests have ended and their responses have led to no further ones. */
  readonly untilIdle: () => Promise<void>;
  /** Makes requests fail whose method and path contain the text; undefined lets all through. */
  readonly breakRequests: (text: string | undefined) => void;
}

/** Creates the API of the extension for a token, and counts its requests. */
export function countedApi(server: TestServer, token: string): CountedApi {
  const requests: string[] = [];
  let running = 0;
  let most = 0;
  let broken: string | undefined;
  const send: Send = async (request, signal) => {
    const { pathname, search } = new URL(request.url);
    const text = `${request.method} ${pathname.replace('/api/v4', '')}${search}`;
    requests.push(text);
    running += 1;
    most = Math.max(most, running);
    try {
      if (broken !== undefined && text.includes(broken)) return { status: 500, headers: new Map(), body: '{"message":"broken"}' };
      return await sendByFetch(request, signal);
    } finally {
      running -= 1;
    }
  };
  const client = createClient({
    ...{ baseUrl: server.origin, send, now: Date.now, sleep: async () => undefined },
    credentials: { token: async () => token, renewed: async () => undefined },
  });
  return {
    api: createNotificationApi(client),
    requests,
    mostAtOnce: () => most,
    untilIdle: async () => {
      for (let turns = 0; turns < IDLE_TURNS; turns = running === 0 ? turns + 1 : 0) await nextTurn();
    },
    breakRequests: (text) => {
      broken = text;
    },
  };
}

/** Creates the model of the view with this API. */
export function openModel(api: NotificationApi, pins: readonly NotificationScope[] = []): NotificationsModel {
  const model = createNotificationsModel();
  model.setSource({ key: 'test#1', api: () => api, pins: () => pins });
  model.begin();
  return model;
}
