// The berth service that the demo data tells the errors of. It is here so that a frame opens its line; nothing starts it.
import { findBerth, listFree, priceOf, sizeOf, moveBoat, nameOf } from './berths.js';
import { book, cancel, extend, receipt, confirmAll, checkIn } from './bookings.js';
import { openGate, lockAll, readCode, lampOf, resetGate, lastOpened } from './gates.js';
import { charge, refund, exchangeRate, invoice, settle, parseCard } from './payments.js';
import { depthAt, nextHighTide, loadTable, warnOfSurge, average, importFile, askMirrors } from './tides.js';
import { notify, renderMail, subscribe, digest, unsubscribe, pushTo } from './notices.js';

export function getBerths(request) {
  const berth = findBerth(request.query.name);
  return [listFree(request.query), priceOf(berth), sizeOf(berth), moveBoat(request.body, berth), nameOf(request.params)];
}

export async function postBooking(request) {
  const booking = await book(request.body);
  return [cancel(booking), extend(booking), receipt(booking), confirmAll(booking), checkIn(booking)];
}

export async function putGate(request) {
  const gate = await openGate(request.params.gate);
  return [lockAll(gate), readCode(request.body), lampOf(gate), resetGate(gate), lastOpened(gate)];
}

export async function postPayment(request) {
  const payment = await charge(request.body);
  return [refund(payment), exchangeRate(payment), invoice(payment), settle(payment), parseCard(request.body)];
}

export async function getTides(request) {
  const table = await loadTable(request.params.harbour);
  return [depthAt(table), nextHighTide(table), warnOfSurge(table), average(table), importFile(request.body)];
}

export async function sendNotices(job) {
  const sent = await notify(job.person);
  return [renderMail(job), subscribe(job), digest(sent), unsubscribe(job), pushTo(job)];
}

export async function checkMirrors(job) {
  const table = await askMirrors(job.mirrors);
  return depthAt(table);
}
