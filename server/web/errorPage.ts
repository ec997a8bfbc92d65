import { html } from 'hono/html';
import { DATABASE_DAMAGED, STORAGE_FULL, STORAGE_UNWRITABLE, type WireFailure } from '../http/failures.ts';
import { notice, type PageContent } from './layout.ts';

interface Texts {
  readonly title: string;
  readonly text: string;
}

/** What a page says instead of the JSON of a refusal. The reason is for the journal and is shown where it helps a person. */
export function errorContent(failure: WireFailure): PageContent {
  const { title, text } = messageFor(failure);
  return {
    title,
    status: failure.status,
    body: html`<div class="card">${notice(failure.status >= 500 ? 'error' : 'info', text)}
<p><a href="/">Go to the start page</a></p></div>`,
    headers: failure.headers,
  };
}

function messageFor({ status, rule }: WireFailure): Texts {
  if (rule === 'form.token') {
    return {
      title: 'This form is out of date',
      text: 'The form was loaded before you signed in or out, or too long ago. Nothing was changed. Go back, reload the page and send it again.',
    };
  }
  if (rule === 'origin') {
    return { title: 'Sent by another site', text: 'A page of another site tried to send this form. Nothing was changed.' };
  }
  if (rule === 'setup.busy') {
    return { title: 'Set-up is under way', text: 'Somebody else is setting the first password right now. Nothing was changed.' };
  }
  if (rule === STORAGE_FULL) {
    return {
      title: 'The disk is full',
      text: 'The disk of this server is full, so nothing was changed. Free some space on it and try again; the server need not be restarted.',
    };
  }
  if (rule === STORAGE_UNWRITABLE) {
    return {
      title: 'The disk cannot be written',
      text: 'This server cannot write to its disk, so nothing was changed. Make its data folder writable and try again; its log has the cause.',
    };
  }
  if (rule === 'body.budget') {
    return {
      title: 'Too busy',
      text: 'The server is reading too many requests at once. Nothing was changed. Go back and send the form again in a few seconds.',
    };
  }
  if (rule === DATABASE_DAMAGED) {
    return {
      title: 'The database is damaged',
      text: 'The file signalbox.sqlite in the data folder of this server is damaged. Stop the server and start it with --restore and the name of a snapshot, or with --reset to begin anew; what is there is kept.',
    };
  }
  switch (status) {
    case 401:
    case 404:
      return {
        title: 'Page not found',
        text: 'There is nothing at this address, or you may not see it. Check the address, or sign in.',
      };
    case 403:
      return { title: 'Not allowed', text: 'You may not do this with the account you are signed in with.' };
    case 413:
    case 414:
      return { title: 'Too long', text: 'The browser sent more than this page takes.' };
    case 500:
      return { title: 'Something went wrong', text: 'The server failed. Its log has the cause; trying again may help.' };
    case 503:
      return {
        title: 'Not available now',
        text: 'Repositories are read with the program git, which is missing here or could not do this in time. Everything else works without it.',
      };
    default:
      return {
        title: 'The request was not understood',
        text: 'The browser sent something that this page cannot read. Go back and try again.',
      };
  }
}
