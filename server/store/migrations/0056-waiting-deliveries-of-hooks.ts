/** The next delivery of a hook is found without the others that wait. */
export const waitingDeliveriesOfHooks = `
DROP INDEX hook_deliveries_waiting;
CREATE INDEX hook_deliveries_waiting ON hook_deliveries (hook_id, id) WHERE sent_at IS NULL;
`;
