import type { WireResponse, WireRequest } from './transport.ts';

/** One server-sent event (HTML standard, 9.2). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** An answer that goes on: events as they come, until either side ends it. */
export interface OpenedStream {
  readonly status: number;
  readonly headers: WireResponse['headers'];
  /** Nothing where the status is not 200. Rejects when the connection breaks or stays silent for too long. */
  readonly events: AsyncIterable<ServerEvent>;
}

export type OpenStream = (request: WireRequest, signal: AbortSignal) => Promise<OpenedStream>;

export interface ListeningSettings {
  /** Opens the stream, after the event with this id where there is one. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<OpenedStream | undefined>;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Told that from now on nothing is missed; something may have been before. */
  readonly opened: () => void;
  readonly heard: (event: ServerEvent) => void;
  /** Told why there is no stream for a while; nothing in it is secret. */
  readonly report: (text: string) => void;
}

/** Pauses before the stream is opened again; the last one counts for all further ones. */
const PAUSES = [500, 1_000, 2_000, 5_000, 15_000, 60_000] as const;

/** Listens until the signal is aborted, or until the instance says that it has no such stream. Never rejects. */
export async function listen({ open, sleep, opened, heard, report }: ListeningSettings, signal: AbortSignal): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const stream = await open(lastEventId, signal);
      if (stream === undefined || stream.status === 404) return;
      const { status, events } = stream;
      if (status === 200) {
        failures = 0;
        if (lastEventId === undefined) opened();
        for await (const event of events) {
          if (event.id !== undefined && event.id !== '') lastEventId = event.id;
          heard(event);
        }
      } else report(`status ${status}`);
    } catch (error) {
      if (!signal.aborted) report(error instanceof Error ? error.message : String(error));
    }
    if (signal.aborted) return;
    await sleep(PAUSES[Math.min(failures, PAUSES.length - 1)] ?? 0, signal);
    failures += 1;
  }
}
