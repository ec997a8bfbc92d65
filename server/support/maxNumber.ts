/** Largest value of integer columns on GitLab. */
export const MAX_NUMBER = 2_147_483_647;
