// Submits the form that sends the response to the client, as if its button had been clicked.
document.querySelector('form[data-send]')?.requestSubmit();
