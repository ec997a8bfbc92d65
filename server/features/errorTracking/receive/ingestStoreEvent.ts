import type { RequestContext } from '../../../http/requestContext.ts';
import { sentEvent } from '../body/envelopeContents.ts';
import { holdsForm, isErrorEvent, readStorePayload } from '../body/storePayload.ts';
import { reportOf, storedWhole } from './eventReport.ts';
import { countEvent, type Ingestion } from './ingestion.ts';
import { programOf } from './keyUse.ts';
import { offeredClient } from './offeredKeys.ts';
import type { Accepted } from './ingestResponses.ts';
import type { ReceivedStorePayload } from './receivedBodies.ts';
import type { Sender } from './senders.ts';

/** Reads and writes the event of a request to the store endpoint. Returns its ID when it is on disk. */
export function ingestStoreEvent(
  ingestion: Ingestion,
  sender: Sender,
  context: RequestContext,
  { bytes, stored }: ReceivedStorePayload,
): Promise<Accepted> {
  const { now } = context;
  const payload = readStorePayload(bytes);
  if (!isErrorEvent(payload)) {
    ingestion.core.ingestStats.count(now, sender.projectId, 'dropped', 'an event sent to the store endpoint is not an error');
    return Promise.resolve({ id: undefined });
  }
  const about = {
    headerId: undefined,
    receivedAt: now,
    sentAt: undefined,
    peerAddress: context.address,
    client: () => offeredClient(context),
  };
  const sent = sentEvent(payload, { ...about, scrub: sender.scrub }, 0);
  const { id } = sent.event;
  const program = programOf(sent);
  // A form can have other fields.
  return reportOf(ingestion, sent, sender, now, 'store', sender.scrub && holdsForm(bytes) ? undefined : storedWhole(stored(), 1))
    .then(ingestion.core.inbox.add)
    .then((isNew) => {
      ingestion.core.ingestStats.keyUse.used(sender.keyId, now);
      countEvent(ingestion, sender, now, isNew, program);
      return { id };
    });
}
