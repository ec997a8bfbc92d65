import * as z from 'zod';
import { named, type ResponseOf } from '../../../http/responses.ts';

/**
 * Response to an SDK, with the ID of the first accepted event. The status is always 200, because some SDKs treat other statuses as
 * failures (docs/interface.md#error-ingestion).
 */
export const acceptedEvent = named('AcceptedEvent', () => z.strictObject({ id: z.string().optional() }));

export type Accepted = ResponseOf<typeof acceptedEvent>;
