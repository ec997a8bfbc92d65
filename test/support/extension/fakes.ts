// Minimal stand-ins for what the editor and the network provide to the extension.
import assert from 'node:assert/strict';
import type { Memento, SecretStorage, SecretStorageChangeEvent } from 'vscode';
import { type Send, TransportFailure, type WireResponse, type WireRequest } from '../../../src/api/transport.ts';
import type { Supervisor } from '../../../src/local/supervisor.ts';
import { createEmitter } from '../../../src/support/emitter.ts';
import type { Log } from '../../../src/support/log.ts';
import type { MachineLock } from '../../../src/support/machineLock.ts';

export interface FakeMemento extends Memento {
  readonly values: Map<string, unknown>;
}

export function fakeMemento(values: Readonly<Record<string, unknown>> = {}): FakeMemento {
  const stored = new Map(Object.entries(values));
  function get<T>(key: string): T | undefined;
  function get<T>(key: string, fallback: T): T;
  function get(key: string, fallback?: unknown): unknown {
    return stored.get(key) ?? fallback;
  }
  return {
    values: stored,
    keys: () => [...stored.keys()],
    get,
    update: async (key, value: unknown) => {
      if (value === undefined) stored.delete(key);
      else stored.set(key, structuredClone(value));
    },
  };
}

export interface FakeSecrets extends SecretStorage {
  readonly values: Map<string, string>;
  /** Changes a secret as another window would. */
  readonly storeElsewhere: (key: string, value: string | undefined) => void;
}

export function fakeSecrets(): FakeSecrets {
  const values = new Map<string, string>();
  const changes = createEmitter<SecretStorageChangeEvent>();
  const set = (key: string, value: string | undefined): void => {
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    changes.fire({ key });
  };
  return {
    values,
    storeElsewhere: set,
    keys: async () => [...values.keys()],
    get: async (key) => values.get(key),
    store: async (key, value) => set(key, value),
    delete: async (key) => set(key, undefined),
    onDidChange: changes.event,
  };
}

export interface FakeClock {
  readonly now: () => number;
  /** Advances the time at once and records the duration in `slept`. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly advance: (milliseconds: number) => void;
  readonly slept: number[];
}

export function fakeClock(start = Date.UTC(2026, 10, 20, 12)): FakeClock {
  let time = start;
  const slept: number[] = [];
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      time += milliseconds;
    },
    advance: (milliseconds) => {
      time += milliseconds;
    },
    slept,
  };
}

/** A lock without contention. */
export const noLock: MachineLock = (_, work) => work();

/** The supervisor of a user who has no local server and starts none. */
export const noSupervisor: Supervisor = {
  state: () => ({ kind: 'stopped' }),
  onDidChange: createEmitter<never>().event,
  onDidProgress: createEmitter<never>().event,
  origin: () => undefined,
  start: () => assert.fail('unexpected start of a local server'),
  restore: async () => undefined,
  stop: async () => 'stopped',
  restart: () => assert.fail('unexpected start of a local server'),
  switchProfile: async () => undefined,
  release: () => undefined,
};

export interface FakeLog extends Log {
  readonly lines: string[];
}

export function fakeLog(): FakeLog {
  const lines: string[] = [];
  const add = (line: string): void => {
    lines.push(line);
  };
  return { lines, debug: add, info: add, warn: add, error: add };
}

/** Returns a response with a JSON body. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireResponse {
  return {
    status,
    headers: new Map(Object.entries({ 'content-type': 'application/json', ...headers })),
    body: JSON.stringify(body),
  };
}

/** Returns a page of a gateway, a proxy or a captive portal. */
export function page(status: number, headers: Readonly<Record<string, string>> = {}): WireResponse {
  return { status, headers: new Map(Object.entries({ 'content-type': 'text/html', ...headers })), body: '<html></html>' };
}

export interface FakeNetwork {
  readonly send: Send;
  readonly requests: WireRequest[];
}

/**
 * Responds to each request with the next response or throws it if it is an error. Fails the test if there are more requests than responses.
 */
export function networkWithResponses(...responses: readonly (WireResponse | Error)[]): FakeNetwork {
  const rest = [...responses];
  return networkWithRule(() => {
    const response = rest.shift();
    if (response === undefined) throw new Error('no response is left for this request');
    return response;
  });
}

/** Responds to each request according to a rule. */
export function networkWithRule(rule: (request: WireRequest) => WireResponse | Error | Promise<WireResponse>): FakeNetwork {
  const requests: WireRequest[] = [];
  return {
    requests,
    send: async (request) => {
      requests.push(request);
      const response = await rule(request);
      if (response instanceof Error) throw response;
      return response;
    },
  };
}

export function connectionFailure(kind: TransportFailure['kind'] = 'interrupted'): TransportFailure {
  return new TransportFailure(kind, 'gitlab.example.com cannot be reached: the connection was lost');
}

/** Returns the form parameters of a request. */
export function formOf(request: WireRequest | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(request?.body ?? ''));
}
