const berths = new Map();

export function findBerth(name) {
  const berth = berths.get(name);
  if (berth === undefined) throw new RangeError(`There is no berth ${name}`);
  return berth;
}

export function listFree({ from, until }) {
  return [...berths.values()].filter((berth) => berth.bookings.every((other) => other.until <= from || other.from >= until));
}

export function priceOf(berth) {
  return berth.tariff.season.summer * berth.length;
}

export function sizeOf(berth) {
  if (Number.isNaN(berth.length * berth.width)) throw new TypeError('The size of a berth is not a number');
  return berth.length * berth.width;
}

export function moveBoat(boat, berth) {
  berth.boats.push(boat.name);
  return berth;
}

export function nameOf(params) {
  return decodeURIComponent(params.name);
}
