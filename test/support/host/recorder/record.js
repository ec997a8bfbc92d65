// An extension that is active before every other: it records the state of the extension host before Signalbox is loaded. Node sets its
// global dispatcher at the first fetch; from then on everyone uses it.
exports.activate = async () => {
  await fetch('data:,');
  const { extensions } = require('vscode');
  globalThis[Symbol.for('signalbox.test.recorded')] = {
    dispatcher: globalThis[Symbol.for('undici.globalDispatcher.1')],
    wasActive: extensions.getExtension('signalbox.signalbox').isActive,
  };
};
