import { PRODUCT } from '../contract/product.ts';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';

/** Returns the page of an instance that creates a personal access token, with name and scope filled in. */
export function newTokenPage(baseUrl: string): string {
  const query = new URLSearchParams({ name: `${PRODUCT} for VS Code`, scopes: EXTENSION_SCOPE });
  return `${baseUrl}/-/user_settings/personal_access_tokens?${query.toString()}`;
}
