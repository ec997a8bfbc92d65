export async function loadTable(harbour) {
  const answer = await fetch(`http://tides.local/${harbour}.json`);
  return answer.json();
}

export function depthAt(table) {
  return table.hours.find(({ hour }) => hour === new Date().getHours()).depth;
}

export function nextHighTide(table) {
  const next = table.high.at(0);
  if (next === undefined) throw new Error('The tide table ends before the next high tide');
  return next;
}

export function warnOfSurge(table) {
  return table.surge.toFixed(2);
}

export function average(table) {
  return Object.assign(table.hours, { length: table.hours.length - 24 });
}

export function importFile(text) {
  return text.split('\n').map((line) => line.match(/^(\S+) (\S+)$/).slice(1));
}

export async function askMirror(mirror) {
  const answer = await fetch(`${mirror}/tides.json`, { signal: AbortSignal.timeout(800) });
  if (!answer.ok) throw new RangeError(`${mirror} answered ${answer.status}`);
  return answer.json();
}

export async function askMirrors(mirrors) {
  const answers = await Promise.allSettled(mirrors.map(askMirror));
  const first = answers.find(({ status }) => status === 'fulfilled');
  if (first !== undefined) return first.value;
  const reasons = answers.map(({ reason }) => reason);
  throw new AggregateError(reasons, 'No tide mirror answered');
}
