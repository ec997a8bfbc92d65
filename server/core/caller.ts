/** A user account. */
export interface User {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly public_email: string;
  readonly bio: string;
  readonly password_hash: string | null;
  readonly state: 'active' | 'blocked' | 'banned' | 'deactivated';
  readonly admin: 0 | 1;
  readonly external: 0 | 1;
  readonly private_profile: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_sign_in_at: number | null;
  readonly current_sign_in_at: number | null;
  readonly last_activity_at: number | null;
  /** Top-level group whose enterprise user this is, and the time of the association. */
  readonly enterprise_group_id: number | null;
  readonly enterprise_since: number | null;
  /** 1 for the user who is the author of what deleted users contributed, and who never signs in. */
  readonly is_ghost: 0 | 1;
}

/** An authenticated user with the credential of the request. */
export interface Caller {
  readonly user: User;
  /** `session` stands for the cookie of a browser, on pages and in requests that pages send. */
  readonly credential:
    | { readonly kind: 'personal'; readonly tokenId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'oauth'; readonly tokenId: number; readonly scopes: readonly string[] }
    /** A token of a running job, which only reaches some projects. */
    | { readonly kind: 'job'; readonly jobId: number; readonly projectId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'session' };
}

/** Returns the scopes of a token of the user; undefined for the session of a browser and the token of a job. */
export function ownScopesOf({ credential }: Caller): readonly string[] | undefined {
  return credential.kind === 'personal' || credential.kind === 'oauth' ? credential.scopes : undefined;
}

/** Returns true if the caller is an administrator; tokens always carry the rights of their user. */
export function isAdministrator(caller: Caller): boolean {
  return caller.user.admin === 1;
}
