export const instanceSettings = `
-- Settings of the whole instance that administrators have changed; switches are 0 or 1.
CREATE TABLE instance_settings (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
