// Sends the one form of the page whose answer the browser carries to another site, as if its button had been pressed.
document.querySelector('form[data-send]')?.requestSubmit();
