// A third-party extension that is active before Signalbox: it requests a sign-in and follows links to Signalbox.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { authentication, commands, env, extensions, Uri } = require('vscode');

exports.activate = async ({ subscriptions }) => {
  subscriptions.push(
    commands.registerCommand('neighbour.askForToken', async () => {
      const { account, accessToken } = await authentication.getSession('signalbox', ['api'], { createIfNone: true });
      await env.clipboard.writeText(JSON.stringify({ label: account.label, accessToken }));
    }),
    // Copies the address at which a browser must open the clipboard's link to reach this window, as after signing in on a page.
    commands.registerCommand('neighbour.copyAddress', async () => {
      const link = Uri.parse(await env.clipboard.readText(), true);
      await env.clipboard.writeText((await env.asExternalUri(link)).toString(true));
    }),
  );
  // File with the path and query of a link that is followed as soon as this window is open.
  const file = process.env['NEIGHBOUR_LINK_FILE'];
  if (file === undefined || !existsSync(file)) return;
  writeFileSync(`${file}.wasActive`, String(extensions.getExtension('signalbox.signalbox').isActive));
  await commands.executeCommand(
    'vscode.open',
    Uri.parse(`${env.uriScheme}://signalbox.signalbox${readFileSync(file, 'utf8')}`, true),
  );
};
