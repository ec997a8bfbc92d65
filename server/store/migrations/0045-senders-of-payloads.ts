export const sendersOfPayloads = `
-- Data of the request that a payload refers to or lacks: the address for {{auto}}, and the SDK if the payload does not name it.
ALTER TABLE tracked_inbox ADD COLUMN sender_address TEXT;
ALTER TABLE tracked_inbox ADD COLUMN sender_client TEXT;
ALTER TABLE tracked_payloads ADD COLUMN sender_address TEXT;
ALTER TABLE tracked_payloads ADD COLUMN sender_client TEXT;
`;
