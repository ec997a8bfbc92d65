export const dropDevicePollTimes = `
-- When a device polled last is only remembered while the server runs.
ALTER TABLE oauth_device_grants DROP COLUMN last_polled_at;
`;
