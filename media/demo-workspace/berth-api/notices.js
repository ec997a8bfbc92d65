const people = new Map();

export async function notify(person) {
  if (!person.email) throw new Error(`${person.id} has no address to write to`);
  return { person, at: Date.now() };
}

export function renderMail({ template, values }) {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => values[name].toString());
}

export function subscribe({ person, topic }) {
  people.get(person).topics.add(topic);
}

export function digest(sent) {
  return sent.at.toISOString().slice(0, 10);
}

export function unsubscribe({ person }) {
  if (!people.delete(person)) throw new RangeError(`Nobody is called ${person}`);
}

export async function pushTo({ endpoint }) {
  return fetch(new URL(endpoint));
}
