import { html } from 'hono/html';
import { Overloaded, StorageFailed } from '../core/errors.ts';
import { headersOf, statusOf } from '../http/refusalStatus.ts';
import type { Refusal } from '../http/wireFailure.ts';
import { notice, type PageContent } from './layout.ts';

interface Texts {
  readonly title: string;
  readonly text: string;
}

/** Returns the error page for a refusal. The reason of the refusal goes to the request log only. */
export function errorContent(refusal: Refusal): PageContent {
  const { title, text } = messageFor(refusal);
  const status = statusOf(refusal);
  return {
    title,
    status,
    body: html`<div class="card">${notice(status >= 500 ? 'error' : 'info', text)}
<p><a href="/">Go to the start page</a></p></div>`,
    headers: headersOf(refusal),
  };
}

const storageTexts: Readonly<Record<StorageFailed['kind'], Texts>> = {
  full: {
    title: 'Disk full',
    text: 'The disk of this server is full, so nothing was changed. Free some space and try again. The server does not need a restart.',
  },
  unwritable: {
    title: 'Cannot write to disk',
    text: 'This server cannot write to its disk, so nothing was changed. Make its data folder writable and try again. The server log shows the cause.',
  },
  damaged: {
    title: 'Database damaged',
    text: 'The file signalbox.sqlite in the data folder of this server is damaged. Stop the server, then start it with --restore and the name of a snapshot, or with --reset to create a new database. The damaged database is kept.',
  },
};

function messageFor(refusal: Refusal): Texts {
  const { rule } = refusal;
  if (rule === 'form.token') {
    return {
      title: 'This form has expired',
      text: 'Nothing was changed. The form was loaded before you signed in or out, or too long ago. Go back, reload the page and send the form again.',
    };
  }
  if (rule === 'origin') {
    return { title: 'Request from another site', text: 'Another site tried to send this form. Nothing was changed.' };
  }
  if (rule === 'setup.busy') {
    return { title: 'Setup in progress', text: 'Another user is setting the first password right now. Nothing was changed.' };
  }
  if (refusal instanceof StorageFailed) return storageTexts[refusal.kind];
  if (refusal instanceof Overloaded) {
    return {
      title: 'Server busy',
      text: 'The server is processing too many requests, so nothing was changed. Go back and send the form again in a few seconds.',
    };
  }
  switch (statusOf(refusal)) {
    case 401:
    case 404:
      return {
        title: 'Page not found',
        text: 'This page does not exist, or you do not have access to it. Check the address or sign in.',
      };
    case 403:
      return { title: 'Permission denied', text: 'Your account does not have permission to do this.' };
    case 413:
    case 414:
      return { title: 'Request too large', text: 'The browser sent more data than this page accepts.' };
    case 500:
      return {
        title: 'Something went wrong',
        text: 'An internal error occurred. Try again, or look for the cause in the server log.',
      };
    case 503:
      return {
        title: 'Repository not available',
        text: 'Repositories are read with Git, which is not installed on this machine or did not respond in time. All other pages work without it.',
      };
    default:
      return {
        title: 'Invalid request',
        text: 'This page cannot read the data that the browser sent. Go back and try again.',
      };
  }
}
