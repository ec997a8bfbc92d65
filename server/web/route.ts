import { noteActor } from '../core/actor.ts';
import type { HttpResponse, RequestContext } from '../http/requestContext.ts';
import { forbidden, notFound, tooLarge, unreadable, unsupportedContentType } from '../core/errors.ts';
import type { Refusal } from '../http/wireFailure.ts';
import { isForeignOrigin } from '../http/hostGuard.ts';
import type { BrowserSession } from '../http/authentication.ts';
import type { Route } from '../http/route.ts';
import type { SpecRef } from '../http/specRefs.ts';
import type { Caller, User } from '../core/caller.ts';
import type { Availability } from '../core/profile.ts';
import { errorContent } from './errorPage.ts';
import { layout, type PageContent } from './layout.ts';

/** Maximum size of a form, in bytes. */
const FORM_LIMIT = 65_536;

/** Definition of a page route. */
interface PageRow extends Availability {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Names of the parameters of the path that are secrets. Logs mask them. */
  readonly secrets?: readonly string[];
  readonly specRef: SpecRef;
  readonly status: Route['status'];
  /** Required role; `anyone` by default. `user` redirects anonymous visitors to the sign-in page and back. */
  readonly role?: 'anyone' | 'user';
  /** Status of a successful response; by default 200 for GET and 303 otherwise. */
  readonly response?: number;
}

/** Request of a page. */
export interface PageRequest {
  readonly context: RequestContext;
  readonly now: number;
  readonly baseUrl: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a sent form, whose origin and token have been checked. */
  readonly form: URLSearchParams;
  /** User who is signed in in this browser. */
  readonly caller: Caller | undefined;
  /** Returns the time of the sign-in. */
  signedInAt(): number | undefined;
  /** Returns the value of the hidden form field (`formTokenField`). Creates a session if there is none. */
  formToken(): string;
  /** Returns the user who has entered the correct password in this browser, but not yet the second factor. */
  halfSignedIn(): User | undefined;
  signIn(user: User): void;
  /** Starts a sign-in that waits for the second factor of the user. */
  beginSignIn(user: User): void;
  signOut(): void;
}

/** Request of a page for signed-in users. */
export interface SignedInPageRequest extends PageRequest {
  readonly caller: Caller;
}

/** Redirects with 303, so that a reload does not send a form again. */
export interface Redirection {
  readonly redirectTo: string;
}

/** Raw content. Its headers take precedence over those of pages. */
export interface FileResponse {
  readonly file: HttpResponse;
}

/** Result of a page handler. */
export type PageResponse = PageContent | Redirection | FileResponse;

/** Creates the route of a page, with browser session and form protection. The handler returns the content or a redirect. */
export function pageRoute(row: PageRow, handle: (request: PageRequest) => PageResponse | Promise<PageResponse>): Route {
  const { role = 'anyone', response, ...metadata } = row;
  return {
    ...metadata,
    area: 'page',
    scopes: [],
    role,
    successStatus: response ?? (row.method === 'GET' ? 200 : 303),
    handle: async (context) => {
      const session = context.authentication.openSession(context);
      const form = await readForm(row.method, context, session);
      const { caller } = session;
      if (caller !== undefined) {
        context.noteUser(caller.user.username);
        noteActor(caller.user.id);
      }
      if (role === 'user' && caller === undefined) return redirect(signInPath(context), session);
      const result = await handle({
        context,
        now: context.now,
        baseUrl: context.baseUrl,
        pathParameters: context.pathParameters,
        query: new URLSearchParams(context.query),
        form,
        caller,
        signedInAt: () => session.signedInAt,
        formToken: session.formToken,
        halfSignedIn: () => session.halfSignedIn,
        signIn: session.signIn,
        beginSignIn: session.beginSignIn,
        signOut: session.signOut,
      });
      if ('redirectTo' in result) return redirect(result.redirectTo, session);
      if ('file' in result) return result.file;
      return render(context, session, result);
    },
  };
}

/** Creates the route of a page for signed-in users. Others are redirected to the sign-in page and back. */
export function personPageRoute(
  row: Omit<PageRow, 'role'>,
  handle: (request: SignedInPageRequest) => PageContent | Redirection | Promise<PageContent | Redirection>,
): Route {
  return pageRoute({ ...row, role: 'user' }, (request) => {
    if (request.caller === undefined) throw notFound('Page', 'no user is signed in');
    return handle({ ...request, caller: request.caller });
  });
}

/** Renders a refusal as a page, including those of unknown paths. */
export function pageRefusal(refusal: Refusal, context: RequestContext): Promise<HttpResponse> {
  return render(context, context.authentication.openSession(context), errorContent(refusal));
}

async function render(context: RequestContext, session: BrowserSession, content: PageContent): Promise<HttpResponse> {
  const user = session.caller?.user;
  const body = await layout({ ...context, user, formToken: user === undefined ? undefined : session.formToken() }, content);
  return {
    status: content.status ?? 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: { ...content.headers, ...cookieHeader(session) },
  };
}

function redirect(path: string, session: BrowserSession): HttpResponse {
  return { status: 303, headers: { Location: path, ...cookieHeader(session) } };
}

function cookieHeader(session: BrowserSession): Readonly<Record<string, readonly string[]>> {
  const cookies = session.cookies();
  return cookies.length === 0 ? {} : { 'Set-Cookie': cookies };
}

/** Returns the path of the sign-in page, which redirects back to the page of a GET request. */
export function signInPath({ method, path, query }: RequestContext): string {
  if (method !== 'GET' && method !== 'HEAD') return '/users/sign_in';
  return `/users/sign_in?return_to=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`;
}

async function readForm(method: PageRow['method'], context: RequestContext, session: BrowserSession): Promise<URLSearchParams> {
  if (method === 'POST') return checkedForm(context, session);
  if (method === 'PUT' || method === 'DELETE') checkScriptRequest(context, session);
  return new URLSearchParams();
}

/**
 * Checks a PUT or DELETE request of a script of a page. Its token is in a header, because the body of DELETE has no meaning
 * (RFC 9110 §9.3.5) and that of PUT may be JSON.
 */
function checkScriptRequest(context: RequestContext, session: BrowserSession): void {
  if (isFromElsewhere(context)) throw forbidden(undefined, 'the request was sent by a page of another site', 'origin');
  const token = context.headers['x-csrf-token'];
  if (typeof token === 'string' && session.isFormToken(token)) return;
  throw forbidden(
    undefined,
    'the header X-CSRF-Token does not match the session cookie: send the authenticity_token of a form of this session',
    'form.token',
  );
}

async function checkedForm(context: RequestContext, session: BrowserSession): Promise<URLSearchParams> {
  if (isFromElsewhere(context)) throw forbidden(undefined, 'the form was sent by a page of another site', 'origin');
  const type = context.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/x-www-form-urlencoded') throw unsupportedContentType(type);
  const body = await context.body(FORM_LIMIT);
  if (body.length > FORM_LIMIT) throw tooLarge(FORM_LIMIT);
  const form = new URLSearchParams(body.toString('utf8'));
  const names = new Set<string>();
  for (const name of form.keys()) {
    if (names.has(name)) throw unreadable(`the field "${name}" was sent more than once`);
    names.add(name);
  }
  if (!session.isFormToken(form.get('authenticity_token') ?? '')) {
    throw forbidden(
      undefined,
      'the field authenticity_token does not match the session cookie: reload the page of the form and send its current value',
      'form.token',
    );
  }
  return form;
}

/**
 * Returns true if a browser says that another site sent the form. With `Referrer-Policy: no-referrer`, as on these pages, browsers send
 * `Origin: null` with the server's own forms too (Fetch, "append a request Origin header"). In that case `Sec-Fetch-Site` decides if it was
 * sent; the form token is always checked.
 */
function isFromElsewhere(context: RequestContext): boolean {
  if (context.headers.origin !== 'null') return isForeignOrigin(context, context.baseUrl);
  const site = context.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
