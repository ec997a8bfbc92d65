// Loaded by --import into a server that a benchmark measures, if the benchmark is to be seen to fail (`npm run bench -- --slow`): lets
// responses cost `factor` times as much as they do. The rules are in the query of this module's address (slowness.ts). The first rule whose
// pattern matches the address of a request, or its header `X-Bench`, applies just before the response ends:
//
//   work        the process computes until its work since the end of the last response has taken `factor` times as long
//   everything  the same, but since the end of the last response to such a request: what happens in between is slowed, too
//   time        it computes until the time since the request arrived is `factor` times as long
//   waiting     it responds when the time since the request arrived is `factor` times as long, and handles other requests meanwhile
import diagnostics from 'node:diagnostics_channel';
import http from 'node:http';

const rules = JSON.parse(new URL(import.meta.url).searchParams.get('rules')).map(({ requests, ...rule }) => ({
  ...rule,
  pattern: new RegExp(requests),
}));
const starts = new WeakMap();
const { end } = http.ServerResponse.prototype;
/** A longer pause between two requests is not made longer. */
const PAUSE = 100;
let used = 0;

diagnostics.subscribe('http.server.request.start', ({ response }) => starts.set(response, performance.now()));
http.ServerResponse.prototype.end = function (...args) {
  const { url, headers } = this.req;
  const rule = rules.find(({ pattern }) => pattern.test(url) || pattern.test(headers['x-bench'] ?? ''));
  const more = (rule?.factor ?? 1) - 1;
  const passed = performance.now() - (starts.get(this) ?? performance.now());
  if (rule?.by === 'waiting') {
    setTimeout(() => end.apply(this, args), more * passed);
    return this;
  }
  const now = workingTime();
  const since = rule?.by === 'everything' && performance.now() - (rule.at ?? 0) < PAUSE ? rule.used : used;
  compute(more * (rule?.by === 'time' ? passed : now - since));
  used = workingTime();
  if (rule !== undefined) Object.assign(rule, { used, at: performance.now() });
  return end.apply(this, args);
};

/** Computes for some milliseconds. */
function compute(milliseconds) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** Returns the milliseconds in which this thread had work, since the start of the process. The system counts them in ticks, which is too coarse. */
function workingTime() {
  return performance.now() - performance.nodeTiming.idleTime;
}
