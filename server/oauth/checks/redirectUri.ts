import { invalidGrant } from '../failures.ts';

/**
 * `redirect_uri` of a refresh: when it is sent it must equal the one of the authorization request (description, Access and refresh
 * tokens). A grant that had none, such as the device grant, has nothing to compare.
 */
export function checkRedirectUri(sent: string | undefined, original: string | null): void {
  if (sent === undefined || original === null || sent === original) return;
  throw invalidGrant(
    'redirect_uri',
    'redirect_uri differs from the one of the authorization request; send the same one, or leave it out',
  );
}
