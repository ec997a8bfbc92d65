export const viewsOfAccounts = `
CREATE VIEW emails_view AS SELECT user_id, email FROM emails;
CREATE VIEW second_factors_view AS SELECT user_id, enabled_at FROM second_factors;
`;
