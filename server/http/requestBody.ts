import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyBudget, BodyBudgetExceeded, type BodyLease } from './bodyBudget.ts';
import { type BodyReceiver, receiveBody } from './bodyReceiver.ts';
import type { RequestContext } from './requestContext.ts';
import { overloaded } from '../core/errors.ts';
import type { Turns } from './turns.ts';

export interface RequestBody extends Pick<RequestContext, 'body' | 'bodyStart' | 'reserveMemory'> {
  /** Releases the counted memory. Called after the response. */
  close(): void;
}

/** Creates the body of one request, which counts against the budget of all bodies. Without `turns`, it is used as soon as it has arrived. */
export function requestBody(
  request: IncomingMessage,
  response: ServerResponse,
  bodyBudget: BodyBudget,
  turns: Turns | undefined,
): RequestBody {
  let opened: { readonly lease: BodyLease; readonly receiver: BodyReceiver } | undefined;
  let whole: Promise<Buffer> | undefined;
  const open = (limit: number): NonNullable<typeof opened> => {
    if (opened === undefined) {
      const lease = bodyBudget.open();
      opened = { lease, receiver: receiveBody(request, limit, lease) };
    }
    return opened;
  };
  /** Waits for another turn if the body arrives in a later turn than its headers, because the handler works once it has the body. */
  const receive = async (limit: number): Promise<Buffer> => {
    const turn = turns?.current;
    const received = await open(limit).receiver.all().catch(refuseBody);
    if (turns !== undefined && turns.current !== turn) await turns.enter();
    return received;
  };
  return {
    body: (limit = 1_048_576) => (whole ??= receive(limit)),
    bodyStart: (bytes, limit) => open(limit).receiver.start(bytes).catch(refuseBody),
    reserveMemory: async (bytes) => {
      const { lease } = open(0);
      const cancel = (): void => lease.cancel();
      try {
        const room = lease.add(bytes);
        if (room === undefined) return;
        response.once('close', cancel);
        await room;
      } catch (error) {
        refuseBody(error);
      } finally {
        response.off('close', cancel);
      }
    },
    close: () => {
      opened?.lease.release();
      opened?.receiver.discard();
    },
  };
}

function refuseBody(error: unknown): never {
  throw error instanceof BodyBudgetExceeded ? overloaded(error.message) : error;
}
