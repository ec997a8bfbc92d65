// Loaded by --import into a process with an IPC channel. Takes a profile of its processor time from the beginning, so that all code is
// compiled with the positions of inlined functions. Any message returns the profile since the last one.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');
process.on('message', () => {
  session.post('Profiler.stop', (_, { profile }) => process.send(profile));
  session.post('Profiler.start');
});
process.channel.unref();
