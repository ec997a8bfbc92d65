export const personalAccessTokenFamilies = `
-- A token and those it was rotated into are one family, which has the number of its first token.
ALTER TABLE personal_access_tokens ADD COLUMN family INTEGER;
ALTER TABLE personal_access_tokens ADD COLUMN description TEXT;
UPDATE personal_access_tokens SET family = id;
CREATE INDEX personal_access_tokens_by_family ON personal_access_tokens (family);
`;
