/** Hooks are disabled after failures. */
export const failuresOfHooks = `
ALTER TABLE hooks ADD COLUMN recent_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hooks ADD COLUMN disabled_until INTEGER;
`;
