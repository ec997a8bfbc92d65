import type { WireResponse, WireRequest } from './transport.ts';

/** One server-sent event (HTML standard, 9.2). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Response that stays open and delivers events until either side ends it. */
export interface OpenedStream {
  readonly status: number;
  readonly headers: WireResponse['headers'];
  /** Empty if the status is not 200. Throws if the connection breaks or stays silent for too long. */
  readonly events: AsyncIterable<ServerEvent>;
}

export type OpenStream = (request: WireRequest, signal: AbortSignal) => Promise<OpenedStream>;

export interface ListeningSettings {
  /** Opens the stream, starting after `lastEventId` if given. Resolves to undefined if there are no streams. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<OpenedStream | undefined>;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Called when the stream is open: from now on no event is missed, but earlier ones may have been. */
  readonly onOpen: () => void;
  readonly onEvent: (event: ServerEvent) => void;
  /** Called with the reason why there is temporarily no stream. The text contains no secrets. */
  readonly report: (text: string) => void;
}

/** Pauses in milliseconds before the stream is opened again. The last one is used for all further attempts. */
const PAUSES = [500, 1_000, 2_000, 5_000, 15_000, 60_000] as const;

/** Listens until the signal is aborted or the instance has no such stream. Never rejects. */
export async function listen({ open, sleep, onOpen, onEvent, report }: ListeningSettings, signal: AbortSignal): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const stream = await open(lastEventId, signal);
      if (stream === undefined) return;
      const { status, headers, events } = stream;
      // A gateway responds with a page.
      if (status === 404 && headers.get('content-type')?.startsWith('text/html') !== true) return;
      if (status === 200) {
        failures = 0;
        if (lastEventId === undefined) onOpen();
        for await (const event of events) {
          if (event.id !== undefined && event.id !== '') lastEventId = event.id;
          onEvent(event);
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
